"""The nets around the readers: classifier, cloze, span (LSTM+Attention) and BiDAF."""
import numpy as np

from .readers import KINDS, Tokens, sigmoid, softmax

MAX_CHARACTERS = 32  # bytes of a word that the char-CNN sees
MAX_ANSWER = 30  # tokens of an extracted answer


class Model:
    """A spec with its tensors and vocabulary. Margins collects how close each decision was."""

    def __init__(self, spec, vocabulary, tensors, temperature=1):
        self.spec, self.vocabulary, self.tensors, self.margins = spec, vocabulary, tensors, []
        self.temperature = temperature  # of the scores of a classifier
        self.ids = {word: number for number, word in enumerate(vocabulary) if number > 0}
        self.passes = []
        self.cut_answer = False  # whether the last answer would have been longer without the limit

    def tokens(self, text):
        return text.split()

    def encode(self, text):
        return [self.ids.get(token.lower(), 0) for token in self.tokens(text)]

    def embed(self, ids):
        return self.tensors["embedding.weight"][ids].reshape(-1, self.spec["embedding_size"])

    def read(self, query, policy):
        """{scores, answer, trace} of a query."""
        self.passes = []
        scores = getattr(self, self.spec["net"])(query, policy)
        if self.spec["net"] in ("classifier", "cloze"):
            answer = self.best_label(scores, self.spec["labels"] or query["choices"])
        else:
            answer = self.best_span(query["text"], *scores)
            scores = np.concatenate(scores)
        return {"scores": scores, "answer": answer, "trace": self.passes}

    def best_label(self, scores, names):
        best = np.sort(scores)
        self.margins.append(best[-1] - best[-2])
        index = int(np.argmax(scores))
        return {"index": index, "text": names[index], "score": scores[index]}

    def best_span(self, text, start, end):
        """The likeliest span of at most MAX_ANSWER tokens, the earliest of equally likely ones."""
        spans = sorted(((start[i] * end[j], -i, -j) for i in range(len(start)) for j in range(i, len(start))),
                       reverse=True)
        allowed = [span for span in spans if span[1] - span[2] < MAX_ANSWER]
        self.cut_answer = allowed[0] != spans[0]
        self.margins.append(1 - allowed[1][0] / allowed[0][0] if len(allowed) > 1 else 1.0)
        score, first, last = allowed[0][0], -allowed[0][1], -allowed[0][2]
        places = self.places(text)
        begin, finish = places[first][0], places[last][1]
        in_bytes = lambda at: len(text[:at].encode())
        return {"index": -1, "begin": in_bytes(begin), "end": in_bytes(finish), "text": text[begin:finish],
                "score": score}

    def places(self, text):
        """Where each token begins and ends, in code points."""
        found, offset = [], 0
        for token in self.tokens(text):
            begin = text.index(token, offset)
            offset = begin + len(token)
            found.append((begin, offset))
        return found

    def stack(self, name, tokens, policy, count, label=None):
        """Runs `count` layers; returns the rows of the last one and the final states of its directions."""
        label = f"{name}." if label is None else label
        final = np.zeros(0)
        for layer in range(count):
            outputs, final = [], []
            for direction in ("forward", "backward")[: 2 if self.spec["bidirectional"] else 1]:
                prefix = f"{name}.{layer}.{direction}."
                weights = {key[len(prefix):]: value for key, value in self.tensors.items() if key.startswith(prefix)}
                reader = KINDS[self.spec["reader"]["kind"]](self.spec["reader"], weights, self.margins)
                backward = direction == "backward"
                states, widths, p_read = reader.read(tokens.reversed() if backward else tokens, policy)
                final.append(reader.h)
                turn = slice(None, None, -1 if backward else 1)
                outputs.append(states[turn])
                self.passes.append({"reader": f"{label}{layer}.{direction}", "widths": widths[turn],
                                    "p_read": p_read[turn]})
            tokens = Tokens(np.concatenate(outputs, axis=1), None, tokens.question)
            final = np.concatenate(final)
        return tokens.rows, final

    def classifier(self, query, policy):
        ids = self.encode(query["text"])
        rows, final = self.stack("reader", Tokens(self.embed(ids), ids), policy, self.spec["num_layers"], "")
        logits = self.tensors["head.weight"] @ self.pool(rows, final) + self.tensors["head.bias"]
        return softmax(logits / self.temperature)

    def pool(self, rows, final):
        pooling = self.spec["pooling"]
        if pooling == "last" or len(rows) == 0:
            return final if pooling == "last" else np.zeros_like(final)
        if pooling == "attention":
            return softmax(rows @ self.tensors["pooling.weight"]) @ rows
        return rows.max(axis=0) if pooling == "max" else rows.mean(axis=0)

    def cloze(self, query, policy):
        text, question = self.encode(query["text"]), self.encode(query["question"])
        ids = text + question
        tokens = Tokens(self.embed(ids), ids, [False] * len(text) + [True] * len(question))
        _, final = self.stack("reader", tokens, policy, self.spec["num_layers"], "")
        wanted = self.tensors["choice.weight"] @ final + self.tensors["choice.bias"]
        return softmax(np.array([self.embed(self.encode(choice)).mean(axis=0) @ wanted
                                 for choice in query["choices"]]))

    def span(self, query, policy):
        text, question = self.embed(self.encode(query["text"])), self.embed(self.encode(query["question"]))
        by_question, by_both = self.tensors["attention.query"], self.tensors["attention.product"]
        rows = []
        for x in text:
            attended = softmax(np.array([by_question @ q + by_both @ (x * q) for q in question])) @ question
            rows.append(np.concatenate([x, attended, x * attended]))
        rows, _ = self.stack("reader", Tokens(np.array(rows)), policy, self.spec["num_layers"], "")
        return softmax(rows @ self.tensors["start.weight"]), softmax(rows @ self.tensors["end.weight"])

    def bidaf(self, query, policy):
        text = self.stack("contextual", Tokens(self.word_rows(query["text"])), policy, 1)[0]
        question = self.stack("contextual", Tokens(self.word_rows(query["question"])), policy, 1, "question.")[0]
        flow = self.attention_flow(text, question)
        modelled = self.stack("modelling", Tokens(flow), policy, self.spec["num_layers"])[0]
        closing = self.stack("output", Tokens(modelled), policy, 1)[0]
        start = np.concatenate([flow, modelled], axis=1) @ self.tensors["start.weight"]
        end = np.concatenate([flow, closing], axis=1) @ self.tensors["end.weight"]
        return softmax(start), softmax(end)

    def attention_flow(self, text, question):
        """G of BiDAF: [h; u~; h * u~; h * h~] per token of the text."""
        by_text, by_question, by_both = (self.tensors[f"attention.{part}"] for part in ("context", "query", "product"))
        similarity = np.array([[by_text @ h + by_question @ u + by_both @ (h * u) for u in question] for h in text])
        context_to_query = np.array([softmax(row) @ question for row in similarity])
        query_to_context = softmax(similarity.max(axis=1)) @ text
        return np.concatenate([text, context_to_query, text * context_to_query, text * query_to_context], axis=1)

    def word_rows(self, text):
        """[embedding; char-CNN] of each word through two highway layers."""
        characters = [self.char_cnn(token.lower().encode()[:MAX_CHARACTERS]) for token in self.tokens(text)]
        rows = np.concatenate([self.embed(self.encode(text)), np.array(characters)], axis=1)
        for layer in range(2):
            part = lambda name: self.tensors[f"highway.{layer}.{name}"]
            changed = np.maximum(rows @ part("weight").T + part("bias"), 0)
            gate = sigmoid(rows @ part("gate.weight").T + part("gate.bias"))
            rows = rows + gate * (changed - rows)
        return rows

    def char_cnn(self, letters):
        """The largest response of each filter over windows centred at each byte, at least 0."""
        vectors = self.tensors["char_cnn.embedding"][list(letters)]
        before = (self.spec["char_cnn"]["kernel_size"] - 1) // 2
        after = self.spec["char_cnn"]["kernel_size"] - 1 - before
        padded = np.pad(vectors, ((before, after), (0, 0)))
        windows = [padded[at: at + before + 1 + after].ravel() for at in range(len(letters))]
        responses = np.array(windows) @ self.tensors["char_cnn.weight"].T + self.tensors["char_cnn.bias"]
        return np.maximum(responses, 0).max(axis=0)
