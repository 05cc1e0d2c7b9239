#include "text_editor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "message.h"
#include "path.h"
#include "text.h"

/* Stands behind the comment sign before each line of our messages. */
#define MARK " plyfs: "

static int complain(const char *what)
{
	return message_at(what, "can't be edited: %s", text_error(-errno));
}

static int write_text(const struct text_editor *editor, const char *head)
{
	CLEANUP(closep) int fd = open(editor->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : text_write(fd, head, strlen(head));

	if (r == 0)
		r = text_write(fd, editor->text, strlen(editor->text));
	return r == 0 ? EXIT_DONE : message_result(r, NULL, editor->path);
}

static int refuse_nul(const char *name)
{
	return message_at(name, "has a NUL byte, which no text has; an editor can't change it");
}

int text_editor_open(struct text_editor *editor, const char *name, struct span text)
{
	const char *temporary = getenv("TMPDIR");

	*editor = (struct text_editor){0};
	if (text.len && memchr(text.data, '\0', text.len))
		return refuse_nul(name);
	if (text_format(&editor->directory, "%s/plyfs-edit-XXXXXX",
		    temporary && *temporary ? temporary : "/tmp") < 0)
		return complain(name);
	if (!mkdtemp(editor->directory))
		return complain(editor->directory);
	if (path_join(editor->directory, path_name(name), &editor->path) < 0)
		return complain(name);
	editor->text = strndup(text.data ? text.data : "", text.len);
	return editor->text ? EXIT_DONE : complain(name);
}

/* Makes comments of the message. NULL: no memory. */
static char *make_head(const char *message, const char *comment)
{
	CLEANUP(freep) char *head = NULL;
	size_t len;
	FILE *out = open_memstream(&head, &len);

	if (!out)
		return NULL;
	while (message && *message) {
		size_t line = strcspn(message, "\n");

		fprintf(out, "%s" MARK "%.*s\n", comment, (int)line, message);
		message += line + (message[line] == '\n');
	}
	return fclose(out) == 0 ? take_ptr(head) : NULL;
}

/* Skips our comments, if they still stand on top. */
static const char *skip_head(const char *text, const char *comment)
{
	size_t len = strlen(comment);

	while (strncmp(text, comment, len) == 0 && strncmp(text + len, MARK, strlen(MARK)) == 0) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text;
}

/* Reads the text. `head` are the comments that were put on top. */
static int read_text(struct text_editor *editor, const char *head, const char *comment)
{
	/* O_NONBLOCK: a FIFO in the file's place must not hang us. */
	CLEANUP(closep) int fd = open(editor->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	CLEANUP(freep) char *text = NULL;
	struct stat stat;
	size_t len;

	if ((fd < 0 && errno == ENOENT) ||
		(fd >= 0 && fstat(fd, &stat) == 0 && !S_ISREG(stat.st_mode)))
		return message_at(
			editor->path, "the editor has left no file here; nothing is changed");
	int r = fd < 0 ? -errno : text_read(fd, SIZE_MAX - 1, &text, &len);
	if (r < 0)
		return message_result(r, NULL, editor->path);
	bool has_nul = strlen(text) < len;
	char *rest = strdup(*head ? skip_head(text, comment) : text);
	if (!rest)
		return complain(editor->path);
	free(editor->text);
	editor->text = rest;
	return has_nul ? refuse_nul(editor->path) : EXIT_DONE;
}

static const char *program(void)
{
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

	return visual && *visual ? visual : editor && *editor ? editor : "vi";
}

static int start(const struct text_editor *editor)
{
	const struct sigaction ignored = {.sa_handler = SIG_IGN};
	struct sigaction old_int, old_quit;
	CLEANUP(freep) char *script = NULL;
	int status;

	/*
	 * A script, as the editor may have arguments. For a plain command, the shell is replaced by
	 * the editor, so that an interrupt does not end the shell alone.
	 */
	if (text_format(&script, "%s%s \"$@\"", strpbrk(program(), "|&;<>()$`=\n") ? "" : "exec ",
		    program()) < 0)
		return complain("the editor");
	fflush(stdout);
	/* Interrupts from the terminal are for the editor only, as in system(3). */
	sigaction(SIGINT, &ignored, &old_int);
	sigaction(SIGQUIT, &ignored, &old_quit);
	pid_t pid = fork();
	if (pid == 0) {
		sigaction(SIGINT, &old_int, NULL);
		sigaction(SIGQUIT, &old_quit, NULL);
		execl("/bin/sh", "sh", "-c", script, program(), editor->path, (char *)NULL);
		_exit(127);
	}
	int error = pid < 0 ? errno : 0;
	while (!error && waitpid(pid, &status, 0) < 0)
		error = errno == EINTR ? 0 : errno;
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	errno = error;
	if (error)
		return complain("the editor");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return EXIT_DONE;
	return message("the editor '%s' failed%s; set VISUAL or EDITOR", program(),
		WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ": there is no such program"
								: "");
}

int text_editor_run(struct text_editor *editor, const char *message, const char *comment)
{
	CLEANUP(freep) char *head = make_head(message, comment);
	int code;

	if (!head)
		return complain(editor->path);
	code = write_text(editor, head);
	if (code != EXIT_DONE)
		return code;
	code = start(editor);
	/* An editor that has failed may have written the text before. */
	int read_code = read_text(editor, head, comment);
	return code == EXIT_DONE ? read_code : code;
}

void text_editor_keep(struct text_editor *editor)
{
	message("the typed text is kept in %s", editor->path);
	free(editor->directory);
	editor->directory = NULL;
}

void text_editor_fini(struct text_editor *editor)
{
	if (editor->directory && editor->path)
		unlink(editor->path);
	if (editor->directory && rmdir(editor->directory) < 0 && errno == ENOTEMPTY)
		message("the editor has left files in %s; remove them if you don't need them",
			editor->directory);
	free(editor->directory);
	free(editor->path);
	free(editor->text);
}
