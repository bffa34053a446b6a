"""Which models the fixtures hold, and what they are asked."""

# Texts hold capitals and unknown words, too: words are looked up in lower case, and id 0 stands for unknown ones.
WORDS = ["the", "plot", "is", "thin", "but", "ending", "film", "was", "never", "dull", "."]
TEXTS = ["the plot Is thin but the ending was never dull quite film .", "film dull zebra was THE ending"]
LONG = ("the film was thin . zebra is never dull . but the ending is the plot . is it the film . "
        "never was the plot dull . ending")
# Capitals and letters of two bytes, and a word longer than the 32 bytes that the char-CNN looks at.
SPELLINGS = "The plöt IS É thin-but-incomprehensibly-convoluted-ending film a ."

# A model whose best span is longer than answers may be.
LONGEST_ANSWER = "dense rnn, longest answer"
BYTES = set(" ".join([*TEXTS, SPELLINGS, "what which ?"]).lower().encode())


def reader(kind, cell, d, **fields):
    return {"kind": kind, "cell": cell, "input_size": 0, "hidden_size": d, "skim_sizes": [], "small_input": "prefix",
            "decision": "linear", **fields}


def skim(cell, d, sizes, small_input="prefix", decision="linear"):
    return reader("skim", cell, d, skim_sizes=list(sizes), small_input=small_input, decision=decision)


def jump(cell, d, per_jump, longest, count, ends=None):
    settings = {"tokens_per_jump": per_jump, "max_jump": longest, "max_jumps": count}
    return reader("lstm-jump", cell, d, jump={**settings, "sentence_end_ids": ends} if ends else settings)


def spec(net, made, embedding=4, layers=1, both=False, pooling="last", labels=3, kernel=3):
    model = {"net": net, "tokenizer": "whitespace", "vocab_size": 1 + len(WORDS), "embedding_size": embedding,
             "reader": dict(made), "num_layers": layers, "bidirectional": both, "pooling": pooling,
             "weight_type": "f32", "labels": ["no", "maybe", "yes"][:labels] if net == "classifier" else []}
    if net == "bidaf":
        model["char_cnn"] = {"embedding_size": 2, "num_filters": 3, "kernel_size": kernel}
    inputs = {"span": 3 * embedding, "bidaf": embedding + 3}
    model["reader"]["input_size"] = inputs.get(net, embedding)
    return model


def ask(text, threshold=0.5, rule="threshold", question="", choices=()):
    return {"text": text, "question": question, "choices": list(choices), "threshold": threshold, "rule": rule}


def texts(*thresholds):
    """Both texts at 0.5, the first one at other thresholds, and no text at all."""
    return [ask(TEXTS[0]), ask(TEXTS[1]), *(ask(TEXTS[0], threshold) for threshold in thresholds), ask("")]


def dense():
    for cell in ("lstm", "gru", "rnn"):
        yield f"{cell}", spec("classifier", reader("dense", cell, 5)), texts()
        yield f"{cell}, two layers, both directions", spec("classifier", reader("dense", cell, 3), 4, 2, True), texts()


def skimming():
    dial = texts(0.25, 0.75, 0, 1)  # the whole dial
    few = [ask(TEXTS[0]), ask(TEXTS[1], 0.6)]
    for cell in ("lstm", "gru", "rnn"):
        yield f"{cell}, prefix", spec("classifier", skim(cell, 5, [2]), 6), few if cell == "rnn" else dial
        yield f"{cell}, full", spec("classifier", skim(cell, 5, [2], "full")), few
        yield f"{cell}, skip", spec("classifier", skim(cell, 4, [0])), few
        three = [ask(TEXTS[0]), ask(TEXTS[0], 0.3), ask(TEXTS[1], 0.8), ask(TEXTS[0], rule="argmax")]
        yield f"{cell}, three levels", spec("classifier", skim(cell, 6, [4, 2])), three
        last_skips = skim(cell, 5, [3, 0], "full")
        yield f"{cell}, three levels, full, the last skips", spec("classifier", last_skips), three[:2]
        yield f"{cell}, dot", spec("classifier", skim(cell, 5, [2], "prefix", "dot"), 4), few
        yield f"{cell}, stacked", spec("classifier", skim(cell, 3, [1]), 4, 2, True), few
    yield "lstm, linear_cell", spec("classifier", skim("lstm", 5, [2], "prefix", "linear_cell")), few
    yield ("lstm, linear_cell, three levels, full",
           spec("classifier", skim("lstm", 5, [3, 1], "full", "linear_cell")), few)
    yield "gru, dot, wide input", spec("classifier", skim("gru", 3, [1], "full", "dot"), 6), few


def pooling():
    others = {"max": jump("gru", 4, 2, 3, 3), "mean": reader("skip-rnn", "lstm", 4),
              "attention": reader("vcrnn", "gru", 5)}
    queries = [ask(TEXTS[0]), ask("")]
    for kind, other in others.items():
        yield f"{kind}, dense", spec("classifier", reader("dense", "gru", 3), 3, 1, True, kind), queries
        yield f"{kind}, skim", spec("classifier", skim("lstm", 5, [3, 0]), 3, pooling=kind), queries
        yield f"{kind}, {other['kind']}", spec("classifier", other, 3, pooling=kind), queries
        yield f"{kind}, skim, stacked", spec("classifier", skim("gru", 3, [1]), 3, 2, True, kind), queries


def jumping():
    queries = texts(0, 1) + [ask(LONG)]
    for cell in ("lstm", "gru", "rnn"):
        yield f"{cell}, words", spec("classifier", jump(cell, 4, 2, 4, 3)), queries
        yield f"{cell}, sentences", spec("classifier", jump(cell, 4, 1, 3, 2, [len(WORDS)])), [ask(LONG), ask(TEXTS[0])]
    yield "lstm, stacked", spec("classifier", jump("lstm", 3, 2, 3, 4), 4, 2, True), queries
    yield "gru, no jump allowed", spec("classifier", jump("gru", 3, 4, 3, 0)), [ask(LONG)]


def skipping():
    for cell in ("lstm", "gru", "rnn"):
        dial = (0.3, 0.8, 0, 1) if cell == "lstm" else (0.3,)
        yield cell, spec("classifier", reader("skip-rnn", cell, 4)), texts(*dial)
    yield "lstm, stacked", spec("classifier", reader("skip-rnn", "lstm", 3), 4, 2, True), texts(0.7)


def varying():
    for cell in ("lstm", "gru", "rnn"):
        yield cell, spec("classifier", reader("vcrnn", cell, 6)), texts(0.3, 0.8, 0, 1)
    yield "rnn, wide input", spec("classifier", reader("vcrnn", "rnn", 3), 7), texts()
    yield "lstm, stacked", spec("classifier", reader("vcrnn", "lstm", 3), 4, 2, True), texts(0.7)


def cloze():
    def queries(text, *thresholds):
        asked = [("the film was XXXXX .", ["plot", "never dull", "Ending", "a zebra is thin"]),
                 ("XXXXX is thin", ["film", "the plot"])]
        made = [ask(text, 0.5, "threshold", *about) for about in asked]
        made += [ask(text, threshold, "threshold", *asked[0]) for threshold in thresholds]
        return made

    no_text = ask("", 0.5, "threshold", "the film was XXXXX", ["plot", "never dull"])
    yield "dense lstm", spec("cloze", reader("dense", "lstm", 5)), [*queries(TEXTS[0]), no_text]
    yield "dense gru, stacked", spec("cloze", reader("dense", "gru", 3), 4, 2, True), queries(TEXTS[0])
    yield "skim lstm", spec("cloze", skim("lstm", 5, [2])), queries(TEXTS[0], 0.3)
    yield "skim gru, three levels, stacked", spec("cloze", skim("gru", 3, [2, 1]), 4, 2, True), queries(TEXTS[0])
    yield "jump over sentences", spec("cloze", jump("lstm", 4, 1, 3, 3, [len(WORDS)])), queries(LONG, 0, 1)
    yield "jump over words, stacked", spec("cloze", jump("gru", 3, 3, 4, 2), 4, 2, True), queries(LONG)
    yield "skip-rnn", spec("cloze", reader("skip-rnn", "lstm", 4)), queries(TEXTS[0])
    yield "vcrnn", spec("cloze", reader("vcrnn", "rnn", 5)), queries(TEXTS[0])


def questions(*thresholds):
    return [ask(TEXTS[0], question="what was dull"),
            *(ask(TEXTS[1], threshold, question="was the ENDING never thin") for threshold in thresholds)]


def short_questions():
    return [ask(TEXTS[1], question="plot ?"), ask("film", question="which")]


def spans():
    for cell in ("lstm", "gru", "rnn"):
        yield f"dense {cell}", spec("span", reader("dense", cell, 3), 3, 1, True), questions()
    long_answer = [ask(f"{LONG} {LONG}", question="what was dull")]
    yield LONGEST_ANSWER, spec("span", reader("dense", "rnn", 2), 2), long_answer
    stacked = spec("span", reader("dense", "lstm", 3), 3, 2, True)
    yield "dense lstm, two layers", stacked, questions() + short_questions()
    yield "skim lstm, two layers", spec("span", skim("lstm", 3, [2]), 3, 2, True), questions(0.3)
    yield "skip lstm, two layers", spec("span", skim("lstm", 3, [0]), 3, 2, True), questions(0.7)
    yield "skim gru, three levels", spec("span", skim("gru", 4, [2, 1], "full"), 3, 1, True), questions(0.4)
    yield "skim lstm, linear_cell", spec("span", skim("lstm", 4, [1], "full", "linear_cell"), 3), questions()
    yield "vcrnn", spec("span", reader("vcrnn", "lstm", 4), 3, 1, True), questions(0.6)
    yield "skip-rnn", spec("span", reader("skip-rnn", "gru", 3), 3, 1, True), questions()
    yield "lstm-jump", spec("span", jump("lstm", 3, 2, 3, 4), 3, 1, True), questions()


def bidaf():
    spellings = [ask(SPELLINGS, question="WAS plöt thin")]
    yield ("dense lstm, two modelling layers", spec("bidaf", reader("dense", "lstm", 2), 3, 2, True),
           questions() + spellings + short_questions())
    yield "dense gru", spec("bidaf", reader("dense", "gru", 2), 3, 1, True), questions()
    yield "skim lstm, two modelling layers", spec("bidaf", skim("lstm", 2, [1]), 3, 2, True), questions(0.6) + spellings
    yield "skim gru, three levels", spec("bidaf", skim("gru", 3, [2, 0], "full"), 3, 1, True), questions(0.3)
    yield "skim rnn, one direction", spec("bidaf", skim("rnn", 4, [2]), 3, kernel=4), questions(0.4)
    yield "vcrnn", spec("bidaf", reader("vcrnn", "gru", 2), 3, 1, True), questions()
    yield "skip-rnn", spec("bidaf", reader("skip-rnn", "lstm", 3), 3), questions()


FAMILIES = {"dense": dense, "skim": skimming, "pooling": pooling, "lstm_jump": jumping, "skip_rnn": skipping,
            "vcrnn": varying, "cloze": cloze, "span": spans, "bidaf": bidaf}
