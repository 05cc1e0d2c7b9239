/*
 * Runs a fuzz target without libFuzzer, on the same inputs each time: on each seed (seeds.py), and
 * on seeds that are changed at random.
 *
 *      replay ROUNDS DIRECTORY
 */
#include <dirent.h>

#include "fuzz.h"

#define SEEDS_MAX 8192u
#define INPUT_MAX 4096u
#define HEAD 2u /* bytes that are no text in most targets */

static struct span seeds[SEEDS_MAX];
static unsigned count;

static uint8_t input[INPUT_MAX];
static size_t len;

/* xorshift */
static uint32_t below(uint32_t limit)
{
	static uint32_t state = 2463534242;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return limit ? state % limit : 0;
}

/* Puts `put` in the place of the `cut` bytes at `at`. */
static void splice(size_t at, size_t cut, const void *put, size_t put_len)
{
	if (at > len || cut > len - at || len - cut + put_len > INPUT_MAX)
		return;
	memmove(input + at + put_len, input + at + cut, len - at - cut);
	if (put_len > 0)
		memcpy(input + at, put, put_len);
	len = len - cut + put_len;
}

/* Returns a line of `text`, with its newline. */
static struct span any_line(const char *text, size_t text_len)
{
	size_t begin = below((uint32_t)text_len);

	while (begin > 0 && text[begin - 1] != '\n')
		begin--;
	const char *end = memchr(text + begin, '\n', text_len - begin);
	return (struct span){
		text + begin, end ? (size_t)(end + 1 - text) - begin : text_len - begin};
}

static void change(void)
{
	static const char signs[] = " \n\t\r:-,.#'\"\\/[]{}<>()|&*!?=;$%@~_ab01";
	struct span own = any_line((const char *)input, len);
	size_t at = (size_t)(own.data - (const char *)input);
	struct span other = seeds[below(count)];
	uint8_t byte = (uint8_t)below(256);

	switch (below(6)) {
	case 0:
		splice(at, own.len, NULL, 0);
		break;
	case 1:
		other = any_line(other.data, other.len);
		splice(at, 0, other.data, other.len);
		break;
	case 2:
		splice(below((uint32_t)len), 1, NULL, 0);
		break;
	case 3:
		splice(below((uint32_t)len), below(2), &signs[below(sizeof(signs) - 1)], 1);
		break;
	default:
		splice(below(HEAD), 1, &byte, 1);
	}
}

static void take(const char *directory, const char *name)
{
	char path[4096];
	char *data = malloc(INPUT_MAX);

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "re");
	if (!file || !data || count == SEEDS_MAX)
		abort();
	seeds[count++] = (struct span){data, fread(data, 1, INPUT_MAX, file)};
	fclose(file);
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int found = argc == 3 ? scandir(argv[2], &entries, NULL, alphasort) : -1;

	if (found < 0) {
		fprintf(stderr, "usage: replay ROUNDS DIRECTORY\n");
		return 2;
	}
	for (int i = 0; i < found; i++) {
		if (entries[i]->d_name[0] != '.')
			take(argv[2], entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	unsigned long rounds = strtoul(argv[1], NULL, 10) + count;
	for (unsigned long round = 0; round < rounds; round++) {
		const struct span *seed = &seeds[round % count];

		len = seed->len;
		memcpy(input, seed->data, len);
		for (unsigned changes = round < count ? 0 : 1 + below(4); changes > 0; changes--)
			change();
		LLVMFuzzerTestOneInput(input, len);
	}
	for (unsigned i = 0; i < count; i++)
		free((char *)seeds[i].data);
	printf("%lu inputs\n", rounds);
	return 0;
}
