#include "merge_job.h"

#include "command.h"
#include "message.h"
#include "strategy.h"

static void clear(struct merge_job *job)
{
	merge_result_free(job->result);
	search_fini(&job->search);
	inputs_fini(&job->inputs);
	job->result = NULL;
	job->search = (struct search){0};
	job->inputs = (struct inputs){0};
}

void merge_job_fini(struct merge_job *job)
{
	clear(job);
	set_options_fini(&job->set);
	set_options_fini(&job->limits_set);
}

const struct format *merge_job_format(const struct merge_job *job)
{
	const struct format *format = job->to ? job->to : job->inputs.data[0].format;

	for (size_t i = 1; !job->to && i < job->inputs.count; i++)
		if (job->inputs.data[i].format != format)
			format = NULL;
	return format_of_tree(format);
}

int merge_job_complain(const struct merge_job *job, int result, const struct problem *problem)
{
	message_result(result, problem, NULL);
	if (result != PROBLEM)
		return EXIT_FAILED;

	struct span text = inputs_text(&job->inputs, problem->source);
	if (!text.data)
		text = search_text(&job->search, problem->source);
	message_excerpt(problem, text);
	return EXIT_FAILED;
}

int merge_job_run(struct merge_job *job, struct problem *problem)
{
	const struct options options = {job->strategy, job->set.map};
	const struct merge_environment environment = {.find = search_find, .context = &job->search};

	clear(job);
	for (char **file = job->files; *file; file++) {
		int r = inputs_add(&job->inputs, *file, job->limits.source_bytes, problem);
		if (r != 0)
			return r;
	}
	const struct merge_request request = {
		.options = &options,
		.inputs = job->inputs.data,
		.count = job->inputs.count,
		.to = merge_job_format(job),
		.limits = job->limits,
		.environment = &environment,
		.wants_header = job->has_header,
	};
	job->search.request = &request;
	int r = merge_run(&request, &job->result, problem);
	job->search.request = NULL;
	return r;
}
