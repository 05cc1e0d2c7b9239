/*
 * systemd's dialect of INI, systemd.syntax(7): a key that comes again is a list, and an empty
 * assignment resets what came before it. What it resets may also be in a file of a lower layer, or
 * in one that plyfs never sees. So the reset stays in the tree: as an empty string, in front of the
 * later values.
 *
 *      ExecStart=/bin/a                            "/bin/a"
 *      ExecStart=/bin/a, ExecStart=/bin/b          ["/bin/a", "/bin/b"]
 *      ExecStart=                                  ""
 *      ExecStart=/bin/a, ExecStart=, ExecStart=/b  ["", "/b"]
 *
 * A section that comes again continues. Some sections of systemd-networkd and its kin describe one
 * thing each, such as an [Address]: they are a list of maps.
 */
#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "edit/text_lines.h"
#include "scalar.h"
#include "section.h"

/* systemd.network(5), systemd.netdev(5), systemd.link(5): "several … sections may be specified". */
static const char lists[] =
	"Address,BFIFO,BridgeFDB,BridgeMDB,CAKE,ControlledDelay,DHCPServerStaticLease,"
	"DeficitRoundRobinScheduler,DeficitRoundRobinSchedulerClass,EnhancedTransmissionSelection,"
	"FairQueueing,FairQueueingControlledDelay,FlowQueuePIE,GenericRandomEarlyDetection,"
	"HeavyHitterFilter,HierarchyTokenBucket,HierarchyTokenBucketClass,IPv6AddressLabel,"
	"IPv6PREF64Prefix,IPv6Prefix,IPv6RoutePrefix,L2TPSession,MACsecReceiveAssociation,"
	"MACsecReceiveChannel,MACsecTransmitAssociation,Neighbor,NetworkEmulator,NextHop,PFIFO,"
	"PFIFOFast,PFIFOHeadDrop,PIE,QDisc,QuickFairQueueing,QuickFairQueueingClass,Route,"
	"RoutingPolicyRule,SR-IOV,StochasticFairBlue,StochasticFairnessQueueing,TokenBucketFilter,"
	"TrivialLinkEqualizer,WireGuardPeer";

#define NO_ROOT_KEYS "put it in one, such as 'Service: {...}'"

/* A joined line's text from `begin` on stands at `from` in the source. */
struct value_piece {
	size_t begin;
	const char *from;
};

struct systemd_reader {
	struct section_reader section;
	struct line_reader first;   /* at the first of the lines that are joined */
	struct output joined;       /* these lines; empty: there is one, without a backslash … */
	struct value_piece *pieces; /* … and a piece for each, if extents are wanted */
	size_t piece_count;
	size_t piece_capacity;
};

/* Returns the place of a byte of the line. A byte of a joined line beyond the first source line has
 * the place where that one ends. */
static struct place place_of(const struct systemd_reader *reader, struct span line, const char *at)
{
	size_t offset = (size_t)(at - line.data);

	if (offset > reader->first.line.len)
		offset = reader->first.line.len;
	return line_place(&reader->first, reader->first.line.data + offset);
}

static const char *source_of(const struct systemd_reader *reader, struct span whole, const char *at)
{
	size_t offset = (size_t)(at - whole.data), i = reader->piece_count;

	if (!reader->joined.len)
		return at;
	while (i > 1 && reader->pieces[i - 1].begin > offset)
		i--;
	return reader->pieces[i - 1].from + (offset - reader->pieces[i - 1].begin);
}

/* Returns the part of the source that `text` was read from, with the backslashes in it. */
EXTENT_NOTE_RARE static struct span source_span(
	const struct systemd_reader *reader, struct span whole, struct span text)
{
	const char *begin = source_of(reader, whole, text.data), *end = begin;

	if (text.len)
		end = source_of(reader, whole, span_end(text) - 1) + 1;
	return (struct span){begin, (size_t)(end - begin)};
}

static int read_section(struct systemd_reader *reader, struct span line)
{
	struct span name, rest;

	int r = section_name(
		&reader->section, line, memchr(line.data, ']', line.len), &name, &rest);
	if (r != 0)
		return r;
	if (rest.len)
		return builder_problem(reader->section.lines.builder,
			place_of(reader, line, rest.data),
			"something stands behind the section's ]; put it on a line of its own");
	return section_open(&reader->section, name, span_is_in(name, lists, ","));
}

static int add_scalar(struct systemd_reader *reader, struct span line, struct span text)
{
	struct place place = place_of(reader, line, text.data);
	struct node *node = line_scalar(&reader->first, text, place);

	return node ? builder_add(reader->section.lines.builder, node, place) : -ENOMEM;
}

static int read_setting(struct systemd_reader *reader, struct span whole, struct span line)
{
	struct builder *builder = reader->section.lines.builder;
	struct place place = place_of(reader, whole, line.data);
	const char *end = span_end(line), *stop = memchr(line.data, '=', line.len);
	struct span key, value;

	if (!reader->section.depth)
		return builder_problem(builder, place,
			"stands before the first section, where systemd ignores it; put it behind "
			"a line such as [Service]");
	if (!stop || stop == line.data)
		return builder_problem(builder, place,
			stop ? "there is no key before the '='; write one"
			     : "is no section, no comment and no KEY=VALUE, and systemd ignores "
			       "it; a '=' is missing, or a '#' in front");

	key = line_trim_end((struct span){line.data, (size_t)(stop - line.data)});
	value = line_trim_start((struct span){stop + 1, (size_t)(end - stop) - 1});
	int r = add_scalar(reader, whole, key);
	if (r == 0)
		r = add_scalar(reader, whole, value);
	if (r != 0 || !reader->section.lines.in)
		return r;
	return line_note_pair(&reader->section.lines, source_span(reader, whole, key),
		source_span(reader, whole, value));
}

static int read_whole(struct systemd_reader *reader, struct span whole)
{
	struct span line = line_trim(whole);

	if (!line.len)
		return 0;
	if (*line.data == '[' && !reader->joined.len)
		return read_section(reader, line);
	return read_setting(reader, whole, line);
}

static int end_joined(struct systemd_reader *reader)
{
	struct span whole = {reader->joined.data, reader->joined.len};
	int r = reader->joined.failure;

	if (r == 0 && whole.len)
		r = read_whole(reader, whole);
	reader->joined.len = 0;
	reader->piece_count = 0;
	return r;
}

EXTENT_NOTE_RARE static int note_piece(struct systemd_reader *reader, struct span line)
{
	return array_push(reader->pieces, reader->piece_count, reader->piece_capacity,
		(struct value_piece){reader->joined.len, line.data});
}

static int read_line(struct systemd_reader *reader)
{
	struct span line = reader->section.lines.line, bare = line_trim_start(line);
	bool goes = line_ends_with_backslash(line);
	const char *end = memchr(line.data, '\r', line.len);

	if (end)
		return line_problem(&reader->section.lines, end, LINE_RETURN);
	/* Comments may stand between joined lines, too. */
	if (bare.len && (*bare.data == '#' || *bare.data == ';'))
		return 0;
	if (!reader->joined.len) {
		reader->first = reader->section.lines;
		if (!goes)
			return read_whole(reader, line);
	}
	if (reader->section.lines.builder->options->wants_extents && note_piece(reader, line) < 0)
		return -ENOMEM;
	output_put(&reader->joined, line.data, line.len - goes);
	if (!goes)
		return end_joined(reader);
	output_char(&reader->joined, ' ');
	return reader->joined.failure;
}

static bool is_reset(const struct node *value)
{
	if (node_is_sequence(value))
		return value->seq.count && is_reset(value->seq.items[0]);
	return node_is_scalar(value) && !value->text.len;
}

/* Adds an assignment to a key that has values. An empty one replaces them. */
static int assign(
	struct builder *builder, struct node *map, struct pair *found, const struct node *value)
{
	uint32_t before = found->value->weight;

	if (!is_reset(value))
		return builder_push(builder, map, found, value);
	found->value = value;
	node_reweigh(map, before, value->weight);
	return 0;
}

static int repeat(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again)
{
	if (builder_is_sections(again->value))
		return builder_go_on(builder, map, found, again);
	return assign(builder, map, found, again->value);
}

static int systemd_read(struct builder *builder, struct span text)
{
	struct systemd_reader reader = {
		.section.lines = line_begin(builder, text),
		.joined.max = SIZE_MAX,
	};

	builder->repeat = repeat;
	int r = line_check_text(builder, text);
	while (r == 0 && line_next(&reader.section.lines))
		r = read_line(&reader);
	if (r == 0)
		r = end_joined(&reader);
	if (r == 0)
		r = section_close(&reader.section);
	output_fini(&reader.joined);
	free(reader.pieces);
	return r;
}

static int put_assignment(struct writer *writer, const struct node *key, const struct node *value)
{
	const char *fault = node_is_scalar(value) ? line_fault(value->text) : NULL;

	if (!node_is_scalar(value))
		return line_refuse(writer, value,
			"a setting of systemd is a text or a list of texts, and this is %s; write "
			"it as one",
			node_kind_name(value));
	if (scalar_is_null(value))
		return line_refuse(writer, value,
			"systemd has no null; write \"\" to remove the assignments before it, or "
			"'!delete' for no setting at all");
	if (!fault)
		fault = line_return_fault(value->text);
	if (!fault && line_ends_with_backslash(value->text))
		fault = "a backslash at its end";
	if (fault)
		return line_refuse(writer, value,
			"a setting of systemd can't hold %s; see "
			"systemd.syntax(7) for quotes and escapes",
			fault);
	output_put(writer->output, key->text.data, key->text.len);
	output_char(writer->output, '=');
	output_put(writer->output, value->text.data, value->text.len);
	output_char(writer->output, '\n');
	return line_check_tag(writer, value, "systemd");
}

static int put_pair(struct writer *writer, const struct pair *pair)
{
	static const struct node nothing = {
		.kind = NODE_SCALAR, .schema = NODE_TEXT, .text = {"", 0}};
	const struct node *value = pair->value;

	int r = section_check_key(writer, pair->key, "a file of systemd's", "=", "[;#");
	if (r != 0)
		return r;
	if (!node_is_sequence(value))
		return put_assignment(writer, pair->key, value);
	if (writer->depth < 3)
		return writer_too_deep(writer, value);
	if (!value->seq.count)
		return put_assignment(writer, pair->key, &nothing);
	for (uint32_t i = 0; r == 0 && i < value->seq.count; i++)
		r = put_assignment(writer, pair->key, value->seq.items[i]);
	return r;
}

static int systemd_write(struct writer *writer, const struct node *root)
{
	static const struct section_style style = {
		.name = "a file of systemd's",
		.root_keys = NO_ROOT_KEYS,
		.not_in_name = "]",
		.has_lists = true,
		.put = put_pair,
	};

	return section_write(writer, root, &style);
}

static int systemd_edit(struct edit *edit, const struct edit_op *op)
{
	return line_edit(
		edit, op, &(const struct line_dialect){.comments = "#;", .more = LINE_MORE_UNIT});
}

/*
 * The settings that are lists, from systemd.unit(5), systemd.exec(5) and others. Of all other
 * settings the last assignment counts. A word that ends with an asterisk stands for all settings
 * that begin with it.
 */
static const char list_keys[] =
	/* systemd.unit(5) */
	"After,Alias,Also,Assert*,Before,BindsTo,Condition*,Conflicts,Documentation,"
	"JoinsNamespaceOf,OnFailure,OnSuccess,PartOf,PropagatesReloadTo,PropagatesStopTo,"
	"ReloadPropagatedFrom,RequiredBy,Requires,RequiresMountsFor,Requisite,StopPropagatedFrom,"
	"UpheldBy,Upholds,WantedBy,Wants,WantsMountsFor,"
	/* systemd.exec(5), systemd.service(5), systemd.kill(5), systemd-system.conf(5) */
	"AmbientCapabilities,BindPaths,BindReadOnlyPaths,CPUAffinity,CacheDirectory,"
	"CapabilityBoundingSet,ConfigurationDirectory,CoredumpFilter,DefaultEnvironment,"
	"Environment,EnvironmentFile,Exec*,ExtensionDirectories,ExtensionImages,ImportCredential,"
	"InaccessibleDirectories,InaccessiblePaths,LoadCredential,LoadCredentialEncrypted,"
	"LogExtraFields,LogFilterPatterns,LogsDirectory,ManagerEnvironment,MountImages,"
	"NUMAMask,NoExecPaths,OpenFile,PassEnvironment,ReadOnlyDirectories,ReadOnlyPaths,"
	"ReadWriteDirectories,ReadWritePaths,RestartForceExitStatus,RestartPreventExitStatus,"
	"RestrictAddressFamilies,RestrictFileSystems,RestrictNamespaces,RootImageOptions,"
	"RuntimeDirectory,SecureBits,SetCredential,SetCredentialEncrypted,Sockets,"
	"StandardInputData,StandardInputText,StateDirectory,SuccessExitStatus,"
	"SupplementaryGroups,SystemCallArchitectures,SystemCallFilter,SystemCallLog,"
	"TemporaryFileSystem,UnsetEnvironment,"
	/* systemd.resource-control(5) */
	"AllowedCPUs,AllowedMemoryNodes,BPFProgram,Delegate,DeviceAllow,DisableControllers,"
	"IODeviceLatencyTargetSec,IODeviceWeight,IOReadBandwidthMax,IOReadIOPSMax,"
	"IOWriteBandwidthMax,IOWriteIOPSMax,IPAddressAllow,IPAddressDeny,IPEgressFilterPath,"
	"IPIngressFilterPath,NFTSet,RestrictNetworkInterfaces,SocketBindAllow,SocketBindDeny,"
	"StartupAllowedCPUs,StartupAllowedMemoryNodes,"
	/* systemd.socket(5), systemd.timer(5), systemd.path(5) */
	"DirectoryNotEmpty,Listen*,OnActiveSec,OnBootSec,OnCalendar,OnStartupSec,OnUnitActiveSec,"
	"OnUnitInactiveSec,PathChanged,PathExists,PathExistsGlob,PathModified,Symlinks,"
	/* systemd.network(5), systemd.netdev(5), systemd.link(5), systemd.dnssd(5) */
	"Address,Advertise,AllowList,AllowedIPs,AlternativeName,BindCarrier,DNS,DenyList,Domains,"
	"Gateway,IPVLAN,IPVTAP,IPoIB,IPv6ProxyNDPAddress,LPR,MACVLAN,MACVTAP,MACsec,"
	"MultiPathRoute,NTP,POP3,PrefixAllowList,PrefixDenyList,PriorityMap,QuantumBytes,"
	"RequestOptions,RouteAllowList,RouteDenyList,RouteTable,RouterAllowList,RouterDenyList,"
	"SIP,SMTP,SendOption,SendVendorOption,SourceMACAddress,Token,Tunnel,TxtData,TxtText,"
	"UserClass,VLAN,VXLAN,VendorClass,WakeOnLan,Xfrm,"
	/* resolved.conf(5), timesyncd.conf(5), logind.conf(5), systemd-sleep.conf(5) */
	"DNSSECNegativeTrustAnchors,DNSStubListenerExtra,FallbackDNS,FallbackNTP,HibernateMode,"
	"HibernateState,HybridSleepMode,HybridSleepState,KillExcludeUsers,KillOnlyUsers,"
	"SuspendMode,SuspendState";

bool format_counts_all(const struct format *format, struct span section, struct span key)
{
	bool is_found = format->repeats != FORMAT_REPEATS_UNITS || span_is(section, "Match");

	for (const char *word = list_keys; *word && !is_found;) {
		size_t len = strcspn(word, ",");
		bool is_beginning = word[len - 1] == '*';
		size_t begun = len - is_beginning;

		is_found = (is_beginning ? key.len >= begun : key.len == len) &&
			   memcmp(key.data, word, begun) == 0;
		word += len + (word[len] == ',');
	}
	return is_found;
}

const struct format format_systemd = {
	.name = "systemd",
	.summary = "units as systemd reads them, systemd.syntax(7); they are merged only if a rule "
		   "says so",
	.suffixes =
		"service,socket,timer,mount,automount,path,target,slice,scope,swap,device,network,"
		"netdev,link,nspawn,dnssd",
	.comment = "#",
	.nothing = "",
	.has_sections = true,
	.divider = "",
	.is_whole = true,
	.repeats = FORMAT_REPEATS_UNITS,
	.read = systemd_read,
	.write = systemd_write,
	.edit = systemd_edit,
};
