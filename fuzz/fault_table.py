"""The faults that fuzz/faults.py plants, each of which a target must find.

NAME: (FILE, TEXT, REPLACEMENT, TARGET, PROPERTIES). TEXT stands once in FILE.
PROPERTIES are parts of what the target says when it fails: the text of the
property that catches the fault, or of another that the same fault breaks.
"""

FAULTS = {
    # --- the protocol: ids, turns, bytes -----------------------------------
    "id-unchecked": (
        "wire/session.c",
        "if (msg->u.call.id != session->next_id)",
        "if (0)",
        "child", ("m->end == MODEL_OPEN", "job->id < rig.model.call_count",
                  "job->id >= rig.last_dispatched")),
    "call-before-ready": (
        "wire/session.c",
        "{[WIRE_MSG_READY] = WIRE_SESSION_READY}",
        "{[WIRE_MSG_READY] = WIRE_SESSION_READY,\n"
        "\t[WIRE_MSG_CALL] = WIRE_SESSION_NEW + 1}",
        "child", ("rig.execution != NULL",
                  "rig.execution->state == SUP_EXEC_RUNNING",
                  "m->end == MODEL_OPEN")),
    "hosts-frames-taken": (
        "wire/session.c",
        "if (wire_msg_is_childs(msg->type) != from_child)",
        "if (from_child && 0)",
        "child", ("m->end == MODEL_OPEN",)),
    "frame-ceiling-one-more": (
        "wire/frame.c",
        "stop = frame->start + limits->frame_max + 1;",
        "stop = frame->start + limits->frame_max + 2;",
        "child", ("m->end == MODEL_OPEN", "m->end == MODEL_VIOLATION",
                  "m->end == MODEL_DONE", "f->violation_offset",
                  "m->words >> f->violation")),
    "frame-ceiling-seen-late": (
        "wire/frame.c",
        "if (stop - frame->start > limits->frame_max) {",
        "if (stop - frame->start > limits->frame_max + 1) {",
        "child", ("m->end == MODEL_OPEN", "m->words >> f->violation")),
    "lines-ceiling-one-more": (
        "wire/frame.c",
        "if (frame->lines == frame->limits.lines_max) {",
        "if (frame->lines == frame->limits.lines_max + 1) {",
        "child", ("m->end == MODEL_OPEN", "m->end == MODEL_VIOLATION",
                  "m->end == MODEL_DONE", "f->violation_offset",
                  "m->words >> f->violation",
                  "job->id < rig.model.call_count")),
    "half-a-frame-ignored": (
        "wire/frame.c",
        "return frame->start == frame->end ? WIRE_OK : "
        "WIRE_ERR_PARTIAL_FRAME;",
        "return WIRE_OK;",
        "child", ("m->end == MODEL_OPEN",)),
    "member-twice": (
        "wire/json_keys.c",
        "return key->hash == hash &&",
        "return (key->hash ^ hash) > UINT32_MAX &&",
        "child", ("m->end == MODEL_OPEN", "m->end == MODEL_DONE",
                  "job->id < rig.model.call_count")),
    "newline-passed-on": (
        "wire/json_out.c",
        "\t\t*p++ = ' ';",
        "\t\tp++;",
        "child", ("rig_is_json(line)",)),

    # --- the gate ----------------------------------------------------------
    "not-offered": (
        "bindings/catalogue.c",
        "if (tool->withdrawn || tool->index >= offered)",
        "if (tool->index >= offered)",
        "child", ("rig_admission(made) == WIRE_TOOL_NONE",
                  "rig_admission(&as_call) != WIRE_TOOL_NOT_OFFERED")),
    "approval-unasked": (
        "bindings/catalogue.c",
        "if ((tool->marks & BIND_TOOL_NEEDS_APPROVAL) != 0)",
        "if (tool->marks > BIND_TOOL_NEEDS_APPROVAL)",
        "child", ("rig_admission(made) == WIRE_TOOL_NONE",)),
    "one-call-more": (
        "bindings/budget.c",
        "if (bind_budget_calls_left(budget) == 0)",
        "if (budget->calls > budget->limits.calls)",
        "child", ("job->id < rig.limits[SUP_LIMIT_CALLS]",)),
    "arguments-one-more": (
        "bindings/budget.c",
        "if (argument_bytes > budget->limits.argument_bytes)",
        "if (argument_bytes > budget->limits.argument_bytes + 1)",
        "child", ("rig_admission(made) == WIRE_TOOL_NONE",)),
    "result-one-more": (
        "bindings/budget.c",
        "if (result_bytes > budget->limits.result_bytes)",
        "if (result_bytes > budget->limits.result_bytes + 1)",
        "child", ("call->dispatched && call->kind == WIRE_TOOL_NONE",
                  "naive_is(kind, wire_tool_kind_word(call->kind))",
                  "naive_is(text, state_of(id))")),
    "total-bytes-ignored": (
        "bindings/budget.c",
        "if (result_bytes > bind_budget_bytes_left(budget))",
        "if (0)",
        "child", ("call->dispatched && call->kind == WIRE_TOOL_NONE",
                  "naive_is(text, state_of(id))",
                  "SUP_LIMIT_TOTAL_BYTES")),
    "window-one-more": (
        "bindings/session.c",
        "session->in_flight < session->config.limits.in_flight &&",
        "session->in_flight <= session->config.limits.in_flight &&",
        "child", ("rig.held < rig.limits[SUP_LIMIT_IN_FLIGHT]",)),
    "pause-unheard": (
        "bindings/session.c",
        "return !session->paused &&",
        "return",
        "child", ("waiting <= SUP_CHAN_QUEUE_HIGH",)),
    "tool-time-ignored": (
        "bindings/session.c",
        "return over < call->job.deadline_ns ? over : call->job.deadline_ns;",
        "return over;",
        "child", ("rig.limits[SUP_LIMIT_TOOL_TIME]",
                  "++turn < TURNS_MAX")),
    "memory-for-each-that-waits": (
        "bindings/pending.c",
        "wire_add(sizeof(*kept), arguments.len, &size)",
        "wire_add(sizeof(*kept) + call->job.result_max, arguments.len, "
        "&size)",
        "child", ("__sanitizer_get_current_allocated_bytes",)),
    "refusal-uncounted": (
        "bindings/record.c",
        "\t\ttotals->refused++;",
        "\t\ttotals->refused += 0;",
        "child", ("totals->refused + rig.dispatched == m->call_count",
                  "due + e->record.totals.refused == rig.replies",
                  "naive_count(list) == shown",
                  "total == rig.model.call_count")),

    # --- the supervisor ----------------------------------------------------
    "replies-by-order": (
        "supervisor/exec_tools.c",
        "\tbind_budget_left(bind_session_budget(e->tools), frame.left);",
        "\tstruct bind_reply in_order = *reply;\n\n"
        "\tin_order.id = e->chan.session.replied++;\n"
        "\tframe.reply = &in_order;\n"
        "\tbind_budget_left(bind_session_budget(e->tools), frame.left);",
        "child", ("is_value_of(id, value)",
                  "!call->dispatched || (call->answered && call->reply_due)",
                  "call->dispatched && call->kind == WIRE_TOOL_NONE",
                  "naive_is(kind, wire_tool_kind_word(call->kind))",
                  "rig_admission(made)")),
    "replied-twice": (
        "supervisor/exec_tools.c",
        "\tbind_budget_left(bind_session_budget(e->tools), frame.left);",
        "\tbind_budget_left(bind_session_budget(e->tools), frame.left);\n"
        "\t(void)!sup_chan_send(&e->chan, max + LEFT_MAX + WIRE_KIB,\n"
        "\t    fill_reply, &frame, &info);",
        "child", ("!call->replied",)),
    "calls-put-the-wall-off": (
        "supervisor/exec_io.c",
        "\t\tbind_session_call(e->tools, &msg->u.call);",
        "\t\te->deadline_ns = sup_sys_now() + "
        "e->terms.limits[SUP_LIMIT_WALL];\n"
        "\t\tbind_session_call(e->tools, &msg->u.call);",
        "child", ("now < e->run_ns + rig.limits[SUP_LIMIT_WALL]",)),
    "queue-unbounded": (
        "supervisor/chan.c",
        "\tif (!chan->is_full &&\n",
        "\tif (chan->broken && !chan->is_full &&\n",
        "child", ("waiting <= SUP_CHAN_QUEUE_HIGH",
                  "__sanitizer_get_current_allocated_bytes")),
    "read-after-done": (
        "supervisor/chan.c",
        "\tchan->ended = true;\n\tupdate_events(chan);",
        "\tupdate_events(chan);",
        "child", ("f->violation != WIRE_OK", "++turn < TURNS_MAX",
                  "rig.execution->state == SUP_EXEC_RUNNING")),
    "descriptor-kept": (
        "supervisor/sys.c",
        "\t\t\t(*ret_closed)++;\n\t\t\tsup_sys_close(&fd);",
        "\t\t\t(*ret_closed)++;",
        "child", ("count_fds() == fds",)),
    "listener-blocks": (
        "supervisor/exec_trace.c",
        "if (!answer(e) || !sup_sys_notify_waits(watch->fd))",
        "if (!answer(e))",
        "child", ("w->asked > 0",)),
    "value-one-more": (
        "supervisor/verdict.c",
        "if (size > f->value_max) {",
        "if (size > f->value_max + 1) {",
        "child", ("m->value.len <= rig.limits[SUP_LIMIT_VALUE]",)),
    # --- profiles, policies, requests ----------------------------------------
    "policy-grants-network": (
        "supervisor/profile_member.c",
        "\telse if (tokens->format == SUP_FORMAT_POLICY)",
        "\telse if (tokens->format == SUP_FORMATS)",
        "profile", ("(r->err == WIRE_OK) == (bad == NULL)",
                    "p->network != SUP_SAY_YES")),
    "profile-over-the-ceiling": (
        "supervisor/profile_member.c",
        "(amount > spec->ceiling && tokens->format != SUP_FORMAT_REQUEST)",
        "(amount > spec->ceiling && tokens->format == SUP_FORMAT_POLICY)",
        "profile", ("(r->err == WIRE_OK) == (bad == NULL)",
                    "p->limits[i] <= spec->ceiling")),
    "column-in-bytes": (
        "supervisor/profile_where.c",
        "} else if ((text.p[i] & 0xc0) != 0x80) {",
        "} else {",
        "profile", ("where.column == column",)),
    "key-speaks-to-the-terminal": (
        "supervisor/profile_where.c",
        "key.p[i] >= 0x20 && key.p[i] < 0x7f ?",
        "key.p[i] >= 0x20 && key.p[i] <= 0x7f ?",
        "profile", ("*text >= ' ' && *text < 0x7f",)),
    "profile-left-after-an-error": (
        "supervisor/profile_read.c",
        "\tif (err == WIRE_OK)\n\t\t*ret_profile = *set.chosen;",
        "\t*ret_profile = *set.chosen;",
        "profile", ("got[0] == 0x55",)),

    # --- what is kept and read ---------------------------------------------
    "window-cuts-a-character": (
        "bindings/window.c",
        "end = wire_utf8_floor(text, begin + (size_t)length);",
        "end = begin + (size_t)length;",
        "read", ("is_boundary(text, w.begin) && is_boundary(text, w.end)",
                 "out.err == WIRE_OK")),
    "stride-one-off": (
        "bindings/lines.c",
        "return low * BIND_LINES_STRIDE +",
        "return low * (BIND_LINES_STRIDE - 1) +",
        "read", ("bind_lines_of(&kept->lines, text, i) == line",)),
    "empty-match-skips-one": (
        "bindings/search.c",
        "? wire_utf8_ceil(search->text, end + 1)",
        "? end + 1",
        "read", ("is_boundary(text, place->begin)", "one.found[0].begin",
                 "one.count == 1", "is_boundary(text, place->end)")),

    # --- directories as tools ----------------------------------------------
    "beneath-by-its-beginning": (
        "bindings/files_path.c",
        "(path.len == top.len || path.p[top.len] == '/');",
        "path.len >= top.len;",
        "paths", ("bind_files_path_is_beneath(bind_files_path_span(&a), "
                  "bind_files_path_span(&b)) == is",)),
    "up-only-at-the-end": (
        "bindings/files_path.c",
        "if (wire_span_equal(next_segment(path, &at), WIRE_LIT(\"..\")))",
        "if (wire_span_equal(next_segment(path, &at), WIRE_LIT(\"..\")) &&\n"
        "\t\t    at == path.len)",
        "paths", ("(kind == WIRE_TOOL_PATH_TRAVERSAL) == want.up",)),
    "base64-with-spare-bits": (
        "bindings/base64.c",
        "return (count > 3 || out[2] == 0) && (count > 2 || out[1] == 0);",
        "return true;",
        "paths", ("wire_span_equal((struct wire_span){text, len}, in)",)),
    # --- MCP servers -------------------------------------------------------
    "line-over-by-one": (
        "bindings/mcp_lines.c",
        "\tif (len > lines->max)\n",
        "\tif (len > lines->max + 1)\n",
        "mcp", ("want.len <= max", "len > 0")),
    "dropped-in-pieces": (
        "bindings/mcp_sight.c",
        "\tsight->in_escape = byte == '\\\\' && !sight->in_escape;",
        "\tsight->in_escape = byte == '\\\\';",
        "mcp", ("seen || has_odd_names(check, line)",
                "!seen || id == m.id")),
    "name-twice-in-a-list": (
        "bindings/mcp_list.c",
        "\tif (*slot != 0) {",
        "\tif (*slot != 0 && name.len > 1) {",
        "mcp", ("list.repeated >= list.count",)),
    "end-of-a-hidden-text": (
        "bindings/redact.c",
        "for (size_t cut = 1; hidden.len - cut > longest; cut++) {",
        "for (size_t cut = 2; hidden.len - cut > longest; cut++) {",
        "mcp", ("memcmp(text.buf, hidden.p + 1",)),

    # --- the ledger --------------------------------------------------------
    "chain-unchecked": (
        "bindings/ledger_read.c",
        "if (memcmp(hash, bytes.p + 12, sizeof(hash)) != 0)",
        "if (0)",
        "ledger", ("a->altered == b->altered",)),
    "length-written-once": (
        "bindings/ledger_read.c",
        "if ((length ^ le32(bytes.p + 4)) != UINT32_MAX || length == 0 ||",
        "if (length == 0 ||",
        "ledger", ("a->altered == b->altered",
                   "end.altered && end.records == whole")),
    "promise-believed": (
        "bindings/unpack.c",
        "if (due > left(&at) || !take_head(&at, &head))",
        "if (left(&at) == 0)\n\t\t\tbreak;\n"
        "\t\tif (!take_head(&at, &head))",
        "ledger", ("(err == WIRE_OK) == model_record(payload, fields)",
                   "a->altered == b->altered",
                   "!end.altered && end.offset == file.len",
                   "!end.altered && end.records == whole")),
    "field-not-of-the-event": (
        "bindings/ledger_format.c",
        "(record->has & ~(spec->must | spec->may));",
        "(record->has & ~(spec->must | spec->may) & 1);",
        "ledger", ("(err == WIRE_OK) == model_record(payload, fields)",
                   "a->altered == b->altered")),
}
