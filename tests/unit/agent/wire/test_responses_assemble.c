#include "agent/wire/responses_assemble.h"

#include "tests/unit/answerkit.h"
#include "tests/unit/unit.h"

#define ADDED(n, item)                                                 \
	"{\"type\":\"response.output_item.added\",\"output_index\":" n \
	",\"item\":" item "}\n"
#define DONE(n, item)                                                 \
	"{\"type\":\"response.output_item.done\",\"output_index\":" n \
	",\"item\":" item "}\n"
#define DELTA(what, n, piece)                                       \
	"{\"type\":\"response." what ".delta\",\"output_index\":" n \
	",\"delta\":\"" piece "\"}\n"
#define START                                                                        \
	"{\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"model\":\"m\"," \
	"\"output\":[]}}\n"
#define USAGE                                                                         \
	"\"usage\":{\"input_tokens\":10,\"input_tokens_details\":{\"cached_tokens\":" \
	"4},\"output_tokens\":5}"
#define END                                                                        \
	"{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"," \
	"\"output\":[]," USAGE "}}\n"
#define CUT(why)                                                                     \
	"{\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\"," \
	"\"incomplete_details\":{"                                                   \
	"\"reason\":\"" why "\"}," USAGE "}}\n"
#define TEXT(words)                                                              \
	"{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":" \
	"\"" words "\"}]}"
#define CALL(args)                                                                     \
	"{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"sh\",\"arguments\":" \
	"\"" args "\"}"
#define THOUGHT                                                                     \
	"{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":" \
	"\"hm\"}],\"encrypted_content\":\"E\"}"

/* A whole stream in the form that OpenAI's reference shows: every event, every member. */
#define RESPONSE_(status, output, usage)                                                    \
	"{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1754000000,"             \
	"\"status\":\"" status "\",\"background\":false,\"error\":null,"                    \
	"\"incomplete_details\":null,\"instructions\":\"sys\",\"max_output_tokens\":16384," \
	"\"model\":\"gpt-5\",\"output\":" output ",\"parallel_tool_calls\":true,"           \
	"\"previous_response_id\":null,\"reasoning\":{\"effort\":\"low\",\"summary\":"      \
	"\"auto\"},\"service_tier\":\"default\",\"store\":false,\"temperature\":1.0,"       \
	"\"text\":{\"format\":{\"type\":\"text\"}},\"tool_choice\":\"auto\",\"tools\":[],"  \
	"\"top_p\":1.0,\"truncation\":\"disabled\",\"usage\":" usage                        \
	",\"metadata\":{}}"
#define THOUGHT_                                                                  \
	"{\"id\":\"rs_1\",\"type\":\"reasoning\",\"encrypted_content\":\"gAAA\"," \
	"\"summary\":[{\"type\":\"summary_text\",\"text\":\"**Looking**\"}]}"
#define WORDS_                                                                      \
	"{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"completed\",\"role\":" \
	"\"assistant\",\"content\":[{\"type\":\"output_text\",\"annotations\":[],"  \
	"\"logprobs\":[],\"text\":\"I look.\"}]}"
#define CALL_                                                                    \
	"{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"completed\","  \
	"\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\",\"call_id\":\"call_1\"," \
	"\"name\":\"shell\"}"
#define ALL_ "[" THOUGHT_ "," WORDS_ "," CALL_ "]"
#define EVENT_(type, n, more) \
	"{\"type\":\"response." type "\",\"sequence_number\":" n "," more "}\n"
#define WHOLE_STREAM                                                                               \
	EVENT_("created", "0", "\"response\":" RESPONSE_("in_progress", "[]", "null"))             \
	EVENT_("in_progress", "1",                                                                 \
	       "\"response\":" RESPONSE_("in_progress", "[]", "null"))                             \
	EVENT_("output_item.added", "2",                                                           \
	       "\"output_index\":0,\"item\":{\"id\":\"rs_1\","                                     \
	       "\"type\":\"reasoning\",\"encrypted_content\":\"gA\",\"summary\":[]}")              \
	EVENT_("reasoning_summary_part.added", "3",                                                \
	       "\"item_id\":\"rs_1\",\"output_index\":0,"                                          \
	       "\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":\"\"}")           \
	EVENT_("reasoning_summary_text.delta", "4",                                                \
	       "\"item_id\":\"rs_1\",\"output_index\":0,"                                          \
	       "\"summary_index\":0,\"delta\":\"**Looking**\",\"obfuscation\":\"Xy\"")             \
	EVENT_("reasoning_summary_text.done", "5",                                                 \
	       "\"item_id\":\"rs_1\",\"output_index\":0,"                                          \
	       "\"summary_index\":0,\"text\":\"**Looking**\"")                                     \
	EVENT_("reasoning_summary_part.done", "6",                                                 \
	       "\"item_id\":\"rs_1\",\"output_index\":0,"                                          \
	       "\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":"                 \
	       "\"**Looking**\"}")                                                                 \
	EVENT_("output_item.done", "7", "\"output_index\":0,\"item\":" THOUGHT_)                   \
	EVENT_("output_item.added", "8",                                                           \
	       "\"output_index\":1,\"item\":{\"id\":\"msg_1\","                                    \
	       "\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\","           \
	       "\"content\":[]}")                                                                  \
	EVENT_("content_part.added", "9",                                                          \
	       "\"item_id\":\"msg_1\",\"output_index\":1,"                                         \
	       "\"content_index\":0,\"part\":{\"type\":\"output_text\",\"annotations\":[],"        \
	       "\"logprobs\":[],\"text\":\"\"}")                                                   \
	EVENT_("output_text.delta", "10",                                                          \
	       "\"item_id\":\"msg_1\",\"output_index\":1,"                                         \
	       "\"content_index\":0,\"delta\":\"I lo\",\"logprobs\":[],\"obfuscation\":\"a\"")     \
	EVENT_("output_text.delta", "11",                                                          \
	       "\"item_id\":\"msg_1\",\"output_index\":1,"                                         \
	       "\"content_index\":0,\"delta\":\"ok.\",\"logprobs\":[],\"obfuscation\":\"b\"")      \
	EVENT_("output_text.done", "12",                                                           \
	       "\"item_id\":\"msg_1\",\"output_index\":1,"                                         \
	       "\"content_index\":0,\"text\":\"I look.\",\"logprobs\":[]")                         \
	EVENT_("content_part.done", "13",                                                          \
	       "\"item_id\":\"msg_1\",\"output_index\":1,"                                         \
	       "\"content_index\":0,\"part\":{\"type\":\"output_text\",\"annotations\":[],"        \
	       "\"logprobs\":[],\"text\":\"I look.\"}")                                            \
	EVENT_("output_item.done", "14", "\"output_index\":1,\"item\":" WORDS_)                    \
	EVENT_("output_item.added", "15",                                                          \
	       "\"output_index\":2,\"item\":{\"id\":\"fc_1\","                                     \
	       "\"type\":\"function_call\",\"status\":\"in_progress\",\"arguments\":\"\","         \
	       "\"call_id\":\"call_1\",\"name\":\"shell\"}")                                       \
	EVENT_("function_call_arguments.delta", "16",                                              \
	       "\"item_id\":\"fc_1\",\"output_index\":"                                            \
	       "2,\"delta\":\"{\\\"command\\\":\",\"obfuscation\":\"c\"")                          \
	EVENT_("function_call_arguments.delta", "17",                                              \
	       "\"item_id\":\"fc_1\",\"output_index\":"                                            \
	       "2,\"delta\":\"\\\"ls\\\"}\",\"obfuscation\":\"d\"")                                \
	EVENT_("function_call_arguments.done", "18",                                               \
	       "\"item_id\":\"fc_1\",\"output_index\":2,"                                          \
	       "\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"")                                   \
	EVENT_("output_item.done", "19", "\"output_index\":2,\"item\":" CALL_)                     \
	EVENT_("completed", "20",                                                                  \
	       "\"response\":" RESPONSE_(                                                          \
		       "completed", ALL_,                                                          \
		       "{\"input_tokens\":1200,\"input_tokens_details\":{\"cached_tokens\":1024}," \
		       "\"output_tokens\":90,\"output_tokens_details\":{\"reasoning_tokens\":64}," \
		       "\"total_tokens\":1290}"))

/* clang-format off */
static const struct answerkit_row rows[] = {
	{ "a whole stream, as the reference has it", WHOLE_STREAM,
	  ALL_ " thought=**Looking** text=I look. call=shell{\"command\":\"ls\"} finish=0 usage=1200+90+1024", 0 },
	{ "text", START ADDED("0", "{\"type\":\"message\",\"content\":[]}") DELTA("output_text", "0", "a")
	  DELTA("output_text", "0", "b") DONE("0", TEXT("ab")) END,
	  "[" TEXT("ab") "] text=ab finish=0 usage=10+5+4", 0 },
	{ "a pair in two pieces", START DELTA("output_text", "0", "a\\ud83d") DELTA("output_text", "0", "\\ude00")
	  DONE("0", TEXT("a\\ud83d\\ude00")) END,
	  "[" TEXT("a\360\237\230\200") "] text=a\360\237\230\200 finish=0 usage=10+5+4", 0 },
	{ "text without deltas", START DONE("0", TEXT("ab")) END,
	  "[" TEXT("ab") "] text=ab finish=0 usage=10+5+4", 0 },
	{ "all at the end", "{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":["
	  TEXT("ab") "," CALL("{}") "]," USAGE "}}\n",
	  "[" TEXT("ab") "," CALL("{}") "] text=ab call=sh{} finish=0 usage=10+5+4", 0 },
	{ "a call, told twice", START ADDED("0", CALL("")) DELTA("function_call_arguments", "0", "{\\\"a\\\"")
	  DELTA("function_call_arguments", "0", ":1}") DONE("0", CALL("{\\\"a\\\":1}"))
	  "{\"type\":\"response.completed\",\"response\":{\"output\":[" CALL("{\\\"a\\\":1}") "]," USAGE "}}\n",
	  "[" CALL("{\\\"a\\\":1}") "] call=sh{\"a\":1} finish=0 usage=10+5+4", 0 },
	{ "thoughts go back as they came", START ADDED("0", "{\"type\":\"reasoning\",\"summary\":[]}")
	  DELTA("reasoning_summary_text", "0", "h") DELTA("reasoning_summary_text", "0", "m") DONE("0", THOUGHT)
	  DONE("1", TEXT("a")) END,
	  "[" THOUGHT "," TEXT("a") "] thought=hm text=a finish=0 usage=10+5+4", 0 },
	{ "thoughts of an open model", START DELTA("reasoning_text", "0", "hm")
	  DONE("0", "{\"type\":\"reasoning\",\"content\":[{\"type\":\"reasoning_text\",\"text\":\"hm\"}]}") END,
	  "[{\"type\":\"reasoning\",\"content\":[{\"type\":\"reasoning_text\",\"text\":\"hm\"}]}] thought=hm "
	  "finish=0 usage=10+5+4", 0 },
	{ "unknown items and events stay out of the way", START "{\"type\":\"response.odd\",\"x\":1}\n"
	  DONE("0", "{\"type\":\"web_search_call\",\"x\":1}") END,
	  "[{\"type\":\"web_search_call\",\"x\":1}] finish=0 usage=10+5+4", 0 },
	{ "a call that was cut off", START ADDED("0", CALL("")) DELTA("function_call_arguments", "0", "{\\\"a")
	  CUT("max_output_tokens"),
	  "[" CALL("{\\\"a") "] call=sh! finish=1 usage=10+5+4", 0 },
	{ "a text that was cut off", START ADDED("0", "{\"type\":\"message\",\"content\":[]}")
	  DELTA("output_text", "0", "hal") CUT("max_output_tokens"),
	  "[" TEXT("hal") "] text=hal finish=1 usage=10+5+4", 0 },
	{ "filtered", START CUT("content_filter"), "[] finish=2 usage=10+5+4", 0 },
	{ "a refusal", START DONE("0", "{\"type\":\"message\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"no\"}]}") END,
	  "[{\"type\":\"message\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"no\"}]}] finish=2 usage=10+5+4", 0 },
	{ "cut", START DONE("0", CALL("{}")), "the answer ended before it was complete", -ECONNRESET },
	{ "done is no end of a response", START DONE("0", CALL("{}")) "[DONE]\n",
	  "the answer ended before it was complete", -ECONNRESET },
	{ "an error", START "{\"type\":\"error\",\"code\":\"server_error\",\"message\":\"busy\",\"param\":null}\n",
	  "the server said: busy", -EREMOTEIO },
	{ "an error in a member", START "{\"type\":\"error\",\"error\":{\"type\":\"server_error\",\"message\":\"busy\"}}\n",
	  "the server said: busy", -EREMOTEIO },
	{ "failed", START "{\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":"
	  "\"server_error\",\"message\":\"busy\"}}}\n", "the server said: busy", -EREMOTEIO },
	{ "a broken event in a call", START ADDED("0", CALL("")) "{broken\n" DONE("0", CALL("{}")) END,
	  "a part of a call arrived unreadable", -EPROTO },
	{ "four of them", START "x\nx\nx\nx\n", "4 events that are no JSON object", -EPROTO },
};
/* clang-format on */

static void tell(const struct turn *t, struct buf *out)
{
	json_print(json_get(t->message, "output"), false, out);
	if (t->reasoning.len)
		buf_addf(out, " thought=%s", t->reasoning.data);
	if (t->text.len)
		buf_addf(out, " text=%s", t->text.data);
	for (size_t i = 0; i < t->n_calls; i++) {
		buf_addf(out, " call=%s", t->calls[i].name);
		if (t->calls[i].args)
			json_print(t->calls[i].args, false, out);
		else
			buf_addc(out, '!');
	}
	buf_addf(out, " finish=%d usage=%d+%d+%d", (int)t->finish, (int)t->usage.input,
		 (int)t->usage.output, (int)t->usage.cached);
}

static void stream(const char *in, struct buf *out)
{
	for (const char *s = in; *s;) {
		size_t n = strcspn(s, "\n");

		buf_addf(out, "event: x\r\ndata: %.*s\r\n\r\n", (int)n, s);
		s += n + 1;
	}
}

static void run_row(const void *row)
{
	static const struct answerkit kit = { &responses_assemble_ops, stream, tell };

	answerkit_row(&kit, row);
}

int main(void)
{
	return unit_rows("responses_assemble", rows, run_row);
}
