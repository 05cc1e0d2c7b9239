#include "system_log.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "descriptor.h"

/* Bytes of a line: RFC 3164, section 4.1, lets a receiver drop more. */
#define LINE_BYTES 1024

static int log_socket = -1;

static void reconnect(void)
{
	const struct sockaddr_un log = {.sun_family = AF_UNIX, .sun_path = _PATH_LOG};

	closep(&log_socket);
	log_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (log_socket >= 0 &&
		connect(log_socket, (const struct sockaddr *)&log, sizeof(log)) < 0) {
		(void)close(log_socket);
		log_socket = -1;
	}
}

/* The format is that of RFC 3164, section 4.1, without a host name, as libc's. */
void system_log(const char *line)
{
	char text[LINE_BYTES], when[32] = "";
	time_t now = time(NULL);
	struct tm local;

	if (localtime_r(&now, &local))
		(void)strftime(when, sizeof(when), "%h %e %T", &local);
	int n = snprintf(text, sizeof(text), "<%d>%s plyfs[%d]: %s", LOG_DAEMON | LOG_NOTICE, when,
		(int)getpid(), line);
	size_t len = n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1;

	/* A log that was started anew has another socket. */
	for (int try = 0; try < 2; try++) {
		if (log_socket >= 0 &&
			(send(log_socket, text, len, MSG_NOSIGNAL) >= 0 || errno == EAGAIN))
			return;
		if (try == 0)
			reconnect();
	}
}
