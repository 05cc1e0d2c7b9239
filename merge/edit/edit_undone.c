#include "edit_undone.h"

/* Where an earlier op works, seen from an entry that is removed later. */
enum edit_relation {
	RELATION_APART,
	RELATION_WITHIN, /* in the entry's value */
	RELATION_ENTRY,  /* sets or inserts the entry itself */
	RELATION_AROUND, /* on the way to the entry, which led elsewhere before that op */
};

static bool is_same_step(const struct edit_step *a, const struct edit_step *b)
{
	if (!a->key || !b->key)
		return !a->key && !b->key && a->index == b->index;
	return node_equal(a->key, b->key);
}

/* Returns whether the op changes the indexes of a list, or the numbers of the documents. */
static bool shifts(const struct edit_op *op)
{
	if (!op->count)
		return op->kind == EDIT_REMOVE;
	return op->kind != EDIT_SET && !op->steps[op->count - 1].key;
}

static enum edit_relation relate(const struct edit_op *op, const struct edit_op *removal)
{
	size_t same = 0;

	if (op->document != removal->document)
		return !op->count && shifts(op) ? RELATION_AROUND : RELATION_APART;
	while (same < op->count && same < removal->count &&
		is_same_step(&op->steps[same], &removal->steps[same]))
		same++;
	if (same == removal->count && op->count > same)
		return RELATION_WITHIN;
	if (same == op->count)
		return same == removal->count && op->kind != EDIT_REMOVE ? RELATION_ENTRY
									 : RELATION_AROUND;
	/* Another item of a list on the way to the entry has come or gone. */
	return shifts(op) && same + 1 == op->count && !removal->steps[same].key ? RELATION_AROUND
										: RELATION_APART;
}

/* Marks what the removal undoes, and the removal itself if it undoes the op that made its entry. */
static bool undo(
	const struct edit_op *ops, const struct edit_tree *trees, size_t removal, bool *undone)
{
	bool has_any = false;

	for (size_t i = removal; i-- > 0;) {
		enum edit_relation relation =
			undone[i] ? RELATION_APART : relate(&ops[i], &ops[removal]);

		if (relation == RELATION_APART)
			continue;
		if (relation == RELATION_AROUND)
			break;
		undone[i] = has_any = true;
		if (relation == RELATION_ENTRY &&
			(ops[i].kind == EDIT_INSERT ||
				!edit_tree_follow(&trees[i], &ops[i], ops[i].count))) {
			undone[removal] = true;
			break;
		}
	}
	return has_any;
}

bool edit_undone_find(
	const struct edit_op *ops, const struct edit_tree *trees, size_t count, bool *undone)
{
	bool has_any = false;

	/* Moves in lists may end where they began. */
	if (count > 1 && edit_tree_is_same(&trees[count], &trees[0])) {
		memset(undone, true, count * sizeof(*undone));
		return true;
	}
	for (size_t i = 0; i < count; i++)
		if (ops[i].kind == EDIT_REMOVE)
			has_any |= undo(ops, trees, i, undone);
	return has_any;
}
