// SPDX-License-Identifier: GPL-2.0
/*
 * Which argument of a tracepoint a field is.  The kernel's BTF has the parameters of
 * __traceiter_EVENT(), which calls the probes of an event, with names and types.
 *
 * An event computes the fields of its record from its arguments, in code.  A field that has
 * the name and the type of a parameter is taken for it, but for those that copies[] has.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "scounter.h"
#include "events.h"
#include "resolve.h"

/* Fields that are not the argument of that name and type, as the kernel's sources show. */
static const struct {
	const char *event, *field;
} copies[] = {
	{ "block_bio_remap", "dev" },
	{ "block_rq_remap", "dev" },
	{ "blkdev_zone_mgmt", "nr_sectors" },
	{ "dlm_lock_end", "error" },
	{ "dma_alloc", "dma_addr" },
	{ "dma_alloc_pages", "dma_addr" },
	{ "dma_alloc_sgt_err", "dma_addr" },
	{ "ext4_fsmap_high_key", "keydev" },
	{ "ext4_fsmap_low_key", "keydev" },
	{ "ext4_fsmap_mapping", "keydev" },
	{ "fsi_master_gpio_in", "msg" },
	{ "fsi_master_gpio_out", "msg" },
	{ "mm_vmscan_throttled", "reason" },
	{ "nbd_send_request", "nbd_request" },
	{ "qdisc_dequeue", "packets" },
	{ "sched_switch", "prev_state" },
	{ "wbt_lat", "lat" },
	{ "wbt_step", "window" },
};

/* As the file `format` of tracefs has it. */
struct format {
	char type[128];
	unsigned int size;
	bool is_signed;
};

/* What an expression comes to: "arg1+0x5d0" and a type. */
struct place {
	char text[256];
	__u32 type;
	bool in_memory;		/* at the address, or in the register */
};

enum found { FOUND, NOT_THERE, NO_BTF, UNFIT };

static struct btf *kernel, *types;

static void load_types(const char *module)
{
	const char *root = root_of("SCOUNTER_BTF", "/sys/kernel/btf");
	char path[4096];

	libbpf_set_print(NULL);
	snprintf(path, sizeof(path), "%s/vmlinux", root);
	kernel = types = btf__parse(path, NULL);
	if (libbpf_get_error(kernel))
		kernel = types = NULL;
	if (!kernel || !*module)
		return;
	snprintf(path, sizeof(path), "%s/%s", root, module);
	types = btf__parse_split(path, kernel);
	if (libbpf_get_error(types))
		types = NULL;
}

static void free_types(void)
{
	if (types != kernel)
		btf__free(types);
	btf__free(kernel);
	kernel = types = NULL;
}

/* A module's own goes before one of the kernel. */
static const struct btf_type *prototype(const char *event)
{
	__u32 id, count = types ? btf__type_cnt(types) : 0;
	__u32 first = types != kernel ? btf__type_cnt(kernel) : 1;
	char name[256];

	snprintf(name, sizeof(name), "__traceiter_%s", strchr(event, ':') + 1);
	for (id = first; id < count; id++) {
		const struct btf_type *type = btf__type_by_id(types, id);

		if (btf_is_func(type) && !strcmp(btf__name_by_offset(types, type->name_off), name))
			return btf__type_by_id(types, type->type);
	}
	return NULL;
}

/* Without typedef, const and the like. */
static const struct btf_type *bare(__u32 id)
{
	const struct btf_type *type = btf__type_by_id(types, id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type) || btf_is_type_tag(type)))
		type = btf__type_by_id(types, type->type);
	return type;
}

static bool is_number(const struct btf_type *type)
{
	return type && (btf_is_int(type) || btf_is_any_enum(type) || btf_is_ptr(type));
}

static unsigned int size_of(const struct btf_type *type)
{
	return btf_is_ptr(type) ? btf__pointer_size(types) : type->size;
}

static bool is_signed(const struct btf_type *type)
{
	if (btf_is_any_enum(type))
		return btf_kflag(type);
	return btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED;
}

static bool is_char(__u32 id)
{
	const struct btf_type *type = bare(id);

	return type && btf_is_int(type) && type->size == 1 &&
	       !(btf_int_encoding(type) & BTF_INT_BOOL);
}

static bool is_text(const struct btf_type *type)
{
	return (btf_is_ptr(type) && is_char(type->type)) ||
	       (btf_is_array(type) && is_char(btf_array(type)->type));
}

/* As many as the probe finds: SCOUNTER_PROBE_ARGS of the module. */
static unsigned int args_max(void)
{
	struct utsname name;

	if (btf__pointer_size(types) == 4)
		return 2;
	return !uname(&name) && !strcmp(name.machine, "x86_64") ? 12 : 5;
}

/* Each argument up to this one is in one register, or in the place of one. */
static enum found find_parameter(const struct btf_type *proto, const char *name, size_t length,
				 struct place *place)
{
	const struct btf_param *param = btf_params(proto);
	unsigned int i;

	for (i = 1; i < btf_vlen(proto); i++) {
		const char *is = btf__name_by_offset(types, param[i].name_off);
		const struct btf_type *type = bare(param[i].type);
		bool fits = is_number(type) && size_of(type) <= btf__pointer_size(types);

		if (strlen(is) == length && !strncmp(is, name, length)) {
			place->type = param[i].type;
			snprintf(place->text, sizeof(place->text), "arg%u", i - 1);
			return fits && i <= args_max() ? FOUND : UNFIT;
		}
		if (!fits)
			break;
	}
	for (; i < btf_vlen(proto); i++) {
		const char *is = btf__name_by_offset(types, param[i].name_off);

		if (strlen(is) == length && !strncmp(is, name, length))
			return UNFIT;
	}
	return NOT_THERE;
}

/* Also in structs and unions without a name; *offset in bits. */
static const struct btf_member *find_member(const struct btf_type *type, const char *name,
					    size_t length, __u32 *offset, bool *bits)
{
	const struct btf_member *member = btf_members(type);
	unsigned int i;

	for (i = 0; i < btf_vlen(type); i++, member++) {
		const char *is = btf__name_by_offset(types, member->name_off);
		const struct btf_type *inner = bare(member->type);
		__u32 at = btf_member_bit_offset(type, i);

		if (strlen(is) == length && !strncmp(is, name, length)) {
			*offset += at;
			*bits = btf_member_bitfield_size(type, i) || at % 8;
			return member;
		}
		if (!*is && inner && btf_is_composite(inner)) {
			__u32 deeper = *offset + at;
			const struct btf_member *found =
				find_member(inner, name, length, &deeper, bits);

			if (found) {
				*offset = deeper;
				return found;
			}
		}
	}
	return NULL;
}

static size_t word_length(const char *text)
{
	return strcspn(text, "-.>[");
}

/* One "->member" or ".member", with *offset the bytes since the last pointer. */
static const char *step(const char *at, struct place *place, __u32 *offset, const char *said)
{
	bool arrow = !strncmp(at, "->", 2), bits = false;
	const struct btf_type *type = bare(place->type);
	const struct btf_member *member;
	size_t length, room = strlen(place->text);
	__u32 in_bits = 0;

	if (!arrow && *at != '.')
		fail(FAILED, "%s: what is behind '%.*s' is not understood", said, (int)(at - said), said);
	if (arrow && type && btf_is_ptr(type)) {
		if (place->in_memory)
			snprintf(place->text + room, sizeof(place->text) - room, "+%#x", *offset);
		*offset = 0;
		type = bare(type->type);
	} else if (arrow || !place->in_memory) {
		type = NULL;
	}
	if (!type || !btf_is_composite(type))
		fail(FAILED, "%s: '%.*s' is no %s", said, (int)(at - said), said,
		     arrow ? "pointer to a struct that is known" : "struct");
	at += arrow ? 2 : 1;
	length = word_length(at);
	member = find_member(type, at, length, &in_bits, &bits);
	if (!member)
		fail(FAILED, "%s: struct %s has no member '%.*s'", said,
		     btf__name_by_offset(types, type->name_off), (int)length, at);
	if (bits)
		fail(FAILED, "%s: '%.*s' is a bit field", said, (int)length, at);
	*offset += in_bits / 8;
	place->type = member->type;
	place->in_memory = true;
	return at + length;
}

/* As the module has it. */
#define HOPS_MAX	4U

static unsigned int hops_of(const struct place *place)
{
	unsigned int hops = 0;
	const char *at;

	for (at = place->text; (at = strchr(at, '+')); at++)
		hops++;
	return hops;
}

/* What is read, and how it is shown: ":16s". */
static void add_type(struct place *place, __u32 offset, const char *said)
{
	const struct btf_type *type = bare(place->type);
	size_t room = strlen(place->text);
	char *end = place->text + room;

	room = sizeof(place->text) - room;
	if (place->in_memory) {
		end += snprintf(end, room, "+%#x", offset);
		room = sizeof(place->text) - strlen(place->text);
	}
	if (type && btf_is_array(type) && is_text(type))
		snprintf(end, room, ":%us", btf_array(type)->nelems < 64 ? btf_array(type)->nelems : 64);
	else if (type && btf_is_ptr(type) && is_text(type))
		snprintf(end, room, "+0:s");
	else if (is_number(type))
		snprintf(end, room, ":%u%c", size_of(type), is_signed(type) ? 'd' : 'u');
	else
		fail(FAILED, "%s: is neither a number nor a string", said);
	if (hops_of(place) > HOPS_MAX)
		fail(FAILED, "%s: more than %u pointers behind each other", said, HOPS_MAX);
}

static enum found find_expression(const struct btf_type *proto, const char *said,
				  struct place *place)
{
	size_t length = word_length(said);
	const char *at = said + length;
	enum found found;
	__u32 offset = 0;

	*place = (struct place) { 0 };
	found = find_parameter(proto, said, length, place);
	if (found != FOUND)
		return found;
	while (*at)
		at = step(at, place, &offset, said);
	add_type(place, offset, said);
	return FOUND;
}

struct search {
	const char *name;
	struct format *format;
	bool found;
};

/* "	field:unsigned long call_site;	offset:8;	size:8;	signed:0;" */
static void take_field(char *line, struct search *search)
{
	char *name, *end = strchr(line, ';');
	unsigned int size, is;
	char *brackets;

	if (!end || sscanf(end, ";\toffset:%*u;\tsize:%u;\tsigned:%u", &size, &is) != 2)
		return;
	*end = 0;
	brackets = strchr(line, '[');
	name = brackets && strncmp(line + 7, "__", 2) ? brackets : end;
	while (name > line && name[-1] != ' ')
		name--;
	if (name[strcspn(name, "[")])
		name[strcspn(name, "[")] = 0;
	if (strcmp(name, search->name))
		return;
	search->found = true;
	name[-1] = 0;
	snprintf(search->format->type, sizeof(search->format->type), "%s", line + 7);
	search->format->size = size;
	search->format->is_signed = is;
}

static FILE *open_format(const char *event)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	const char *other = getenv("SCOUNTER_TRACEFS");
	int system = strcspn(event, ":");
	char path[4096];
	unsigned int i;
	FILE *file;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events/%.*s/%s/format",
			 other && *other ? other : roots[i], system, event, event + system + 1);
		file = fopen(path, "re");
		if (file)
			return file;
	}
	return NULL;
}

static bool in_format(const char *event, const char *name, struct format *format)
{
	struct search search = { .name = name, .format = format };
	FILE *file = open_format(event);
	char *line = NULL;
	size_t room = 0;

	if (!file)
		return false;
	while (!search.found && getline(&line, &room, file) >= 0)
		if (!strncmp(line, "\tfield:", 7))
			take_field(line, &search);
	free(line);
	fclose(file);
	return search.found;
}

static bool is_copy(const char *event, const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(copies) / sizeof(*copies); i++)
		if (!strcmp(copies[i].event, strchr(event, ':') + 1) && !strcmp(copies[i].field, name))
			return true;
	return false;
}

/* __be32 and the like are turned round on their way into a number. */
static bool is_turned(__u32 id, const char *field_type)
{
	const struct btf_type *type = btf__type_by_id(types, id);
	const char *name = type ? btf__name_by_offset(types, type->name_off) : "";

	return (!strncmp(name, "__be", 4) || !strncmp(name, "__le", 4)) && strcmp(name, field_type);
}

static bool means(const struct place *place, const struct format *format)
{
	const struct btf_type *type = bare(place->type);
	bool pointer = strchr(format->type, '*');

	if (!strncmp(format->type, "__data_loc char[]", 17) ||
	    !strncmp(format->type, "__rel_loc char[]", 16))
		return btf_is_ptr(type) && is_text(type);
	return !strchr(format->type, '[') && !is_text(type) && size_of(type) == format->size &&
	       is_signed(type) == format->is_signed && btf_is_ptr(type) == pointer &&
	       !is_turned(place->type, format->type);
}

/* One field of an option: EXPRESSION, which is its name, or NAME=EXPRESSION. */
struct field {
	char *name;
	const char *said;
	struct place place;
	struct format format;
	bool placed, in_record, only_args;
};

static void look(const char *event, const struct btf_type *proto, struct field *field)
{
	bool named = field->said != field->name;
	bool plain = !named && !field->said[word_length(field->said)];
	enum found found = proto ? find_expression(proto, field->said, &field->place) : NO_BTF;

	field->in_record = plain && in_format(event, field->name, &field->format);
	field->placed = found == FOUND;
	if (field->in_record && field->placed)
		field->placed = means(&field->place, &field->format) && !is_copy(event, field->name);
	field->only_args = !field->in_record && (field->placed || !plain);
	if (found == FOUND || field->in_record || (plain && found != UNFIT))
		return;
	if (found == NO_BTF)
		fail(FAILED, "%s: the kernel has no BTF that tells the arguments of %s",
		     field->said, event);
	if (found == UNFIT)
		fail(FAILED, "%s: probes do not find this argument on this machine", field->said);
	fail(FAILED, "%s: %s has no argument '%.*s'", field->said, event,
	     (int)word_length(field->said), field->said);
}

/* "next_comm" may be next->comm. */
static bool suggest(const struct btf_type *proto, const char *name, char *to, size_t room)
{
	const char *at = name;

	while (proto && (at = strchr(at, '_'))) {
		struct place place = { 0 };
		const struct btf_type *type;
		__u32 offset = 0;
		bool bits;

		if (find_parameter(proto, name, at - name, &place) == FOUND) {
			type = bare(place.type);
			type = type && btf_is_ptr(type) ? bare(type->type) : NULL;
			if (type && btf_is_composite(type) &&
			    find_member(type, at + 1, strlen(at + 1), &offset, &bits)) {
				snprintf(to, room, "%.*s->%s", (int)(at - name), name, at + 1);
				return true;
			}
		}
		at++;
	}
	return false;
}

static char *line_of(const struct field *field, unsigned int count, bool places)
{
	unsigned int i;
	size_t size;
	char *line;
	FILE *file = open_memstream(&line, &size);

	if (!file)
		fail(FAILED, "out of memory");
	for (i = 0; i < count; i++) {
		fprintf(file, "%s%s", i ? "," : "", field[i].name);
		if (places && field[i].placed)
			fprintf(file, "@%s", field[i].place.text);
	}
	if (fclose(file))
		fail(FAILED, "out of memory");
	return line;
}

#define FIELDS_MAX	16

static void begin_field(struct field *field, const char *word)
{
	char *equals;

	field->name = strdup(word);
	if (!field->name)
		fail(FAILED, "out of memory");
	field->said = field->name;
	equals = strchr(field->name, '=');
	if (!equals)
		return;
	*equals = 0;
	field->said = equals + 1;
	if (!*field->name || !*field->said)
		usage_error("a field is NAME=EXPRESSION or an expression, not '%s'", word);
}

static unsigned int split(const char *said, struct field *field, unsigned int room)
{
	char *words = strdup(said), *rest = words, *word;
	unsigned int count = 0;

	if (!words)
		fail(FAILED, "out of memory");
	while ((word = strsep(&rest, ","))) {
		if (count == room)
			usage_error("more than %u fields: '%s'", room, said);
		begin_field(&field[count++], word);
	}
	free(words);
	return count;
}

static void say_cost(const struct btf_type *proto, const struct field *field)
{
	char better[128];

	if (suggest(proto, field->name, better, sizeof(better)))
		warn("%s is read from the record of the event, about 650 instructions a hit; '%s' is in an argument",
		     field->name, better);
	else
		warn("%s is read from the record of the event, about 650 instructions a hit",
		     field->name);
}

static const struct field *any(const struct field *field, unsigned int count, bool only_args)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (only_args ? field[i].only_args : field[i].in_record && !field[i].placed)
			return &field[i];
	return NULL;
}

struct owner {
	const char *event;
	char module[128];
};

static void take_owner(char *line, void *argument)
{
	struct owner *owner = argument;
	size_t length = strlen(owner->event);

	if (!strncmp(line, owner->event, length) && !strncmp(line + length, " [", 2))
		sscanf(line + length, " [%127[^]]", owner->module);
}

/* Unknown events and fields are left to the kernel, which says what is wrong. */
void resolve_fields(const char *event, struct fields *fields, unsigned int count)
{
	struct field field[FIELDS_MAX] = {};
	struct owner owner = { .event = event };
	const struct field *record, *argument;
	const struct btf_type *proto;
	unsigned int i, used = 0, begin[FIELDS_MAX + 1] = {};

	if (!strchr(event, ':') || strpbrk(event, "*?[\\"))
		return;
	events_lines("available", take_owner, &owner);
	load_types(owner.module);
	proto = prototype(event);
	for (i = 0; i < count; i++) {
		begin[i] = used;
		used += split(fields[i].said, field + used, FIELDS_MAX - used);
	}
	begin[count] = used;
	for (i = 0; i < used; i++)
		look(event, proto, &field[i]);
	record = any(field, used, false);
	argument = any(field, used, true);
	if (record && argument)
		fail(FAILED, "%s is in the record of the event only, and %s in its arguments: not in one line",
		     record->name, argument->name);
	if (record)
		say_cost(proto, record);
	for (i = 0; i < count; i++)
		fields[i].line = line_of(field + begin[i], begin[i + 1] - begin[i], !record);
	for (i = 0; i < used; i++)
		free(field[i].name);
	free_types();
}
