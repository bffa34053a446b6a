"""Rows in, rows out: SkimReader against the formulas, and its laws."""
import unittest

import numpy as np
import skim
import support


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def torch_cell(cell, state, x, h, c):
    """One step of torch.nn.LSTM, GRU or RNN, as its documentation has it, in double precision."""
    inner = state["weight_ih_l0"] @ x + state["bias_ih_l0"]
    outer = state["weight_hh_l0"] @ h + state["bias_hh_l0"]
    if cell == "rnn":
        return np.tanh(inner + outer), c
    if cell == "lstm":
        i, f, g, o = np.split(inner + outer, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    (r, z, n), (ur, uz, un) = np.split(inner, 3), np.split(outer, 3)
    r, z = sigmoid(r + ur), sigmoid(z + uz)
    return (1 - z) * np.tanh(n + r * un) + z * h, c


def torch_state(cell, width, hidden, seed=3):
    rows = {"lstm": 4, "gru": 3, "rnn": 1}[cell] * hidden
    random = np.random.default_rng(seed)
    shapes = {"weight_ih_l0": (rows, width), "weight_hh_l0": (rows, hidden), "bias_ih_l0": (rows,), "bias_hh_l0": (rows,)}
    return {name: random.uniform(-0.5, 0.5, shape) for name, shape in shapes.items()}


SKIMMING = {"cell": "lstm", "input": 6, "hidden": 11, "small": [4]}


def reader_for(spec, **more):
    return skim.SkimReader(spec, support.tensors_for(spec), **more)


class Laws(unittest.TestCase):
    def test_as_many_rows_come_out_as_go_in(self):
        for cell in ("lstm", "gru", "rnn"):
            for small in ([], [4], [0], [7, 2]):
                reader = reader_for({"cell": cell, "input": 6, "hidden": 11, "small": small})
                rows, state, steps = reader(support.rows_for(9, 6))
                self.assertEqual((rows.shape, rows.dtype), ((9, 11), np.float32))
                self.assertTrue(set(steps.widths.tolist()) <= {11, *small})
                self.assertEqual(steps.p_read.shape, (9,))
                np.testing.assert_array_equal(state.hidden, rows[-1])
                self.assertEqual((state.position, state.cell.shape), (9, (11,) if cell == "lstm" else (0,)))

    def test_chunks_equal_the_whole(self):
        given = support.rows_for(30, 6)
        jump = {"cell": "rnn", "input": 6, "hidden": 11, "kind": "jump", "jump": {"run": 3, "reach": 4, "most": 2}}
        more = {"jump.w": support.rows_for(5, 11), "jump.b": support.rows_for(5, 1)[:, 0]}
        readers = [reader_for(SKIMMING, weights=weights) for weights in ("f32", "bf16", "int8")]
        readers.append(skim.SkimReader(jump, {**support.tensors_for(jump), **more}))
        for reader in readers:
            whole, last, steps = reader(given, rule="sample", seed=4)
            state, parts, widths = reader.start(), [], []
            for begin, end in ((0, 1), (1, 8), (8, 8), (8, 30)):
                rows, state, part = reader(given[begin:end], state, rule="sample", seed=4)
                parts.append(rows)
                widths.append(part.widths)
            np.testing.assert_array_equal(np.concatenate(parts), whole)
            np.testing.assert_array_equal(np.concatenate(widths), steps.widths)
            np.testing.assert_array_equal(state.hidden, last.hidden)

    def test_reading_every_row_equals_the_plain_reader(self):
        tensors = support.tensors_for(SKIMMING)
        plain = skim.SkimReader({**SKIMMING, "small": []}, {k: v for k, v in tensors.items() if k.startswith("big")})
        given = support.rows_for(9, 6)
        every = skim.SkimReader(SKIMMING, tensors)(given, threshold=0)
        np.testing.assert_array_equal(every.rows, plain(given).rows)
        self.assertEqual(set(every.steps.widths.tolist()), {11})

    def test_skimming_leaves_the_tail_as_it_was(self):
        rows = reader_for(SKIMMING)(support.rows_for(9, 6), threshold=1).rows
        self.assertTrue((rows[:, 4:] == 0).all() and (rows[:, :4] != 0).all())

    def test_a_state_is_not_changed_by_reading_on_from_it(self):
        reader = reader_for(SKIMMING)
        middle = reader(support.rows_for(5, 6)).state
        before = middle.hidden.copy()
        first, second = reader(support.rows_for(4, 6), middle), reader(support.rows_for(4, 6), middle)
        np.testing.assert_array_equal(middle.hidden, before)
        np.testing.assert_array_equal(first.rows, second.rows)

    def test_backwards_is_forwards_on_reversed_rows(self):
        given = support.rows_for(9, 6)
        there, back = reader_for(SKIMMING)(given[::-1]), reader_for(SKIMMING, reverse=True)(given)
        np.testing.assert_array_equal(back.rows, there.rows[::-1])
        np.testing.assert_array_equal(back.steps.p_read, there.steps.p_read[::-1])
        np.testing.assert_array_equal(back.state.hidden, back.rows[0])

    def test_no_rows_give_no_rows(self):
        rows, state, steps = reader_for(SKIMMING)(np.zeros((0, 6), dtype=np.float32))
        self.assertEqual((rows.shape, steps.widths.shape, state.position), ((0, 11), (0,), 0))

    def test_layouts_and_kinds_of_floats_do_not_matter(self):
        reader, given = reader_for(SKIMMING), support.rows_for(8, 6)
        expected = reader(given).rows
        wide = np.zeros((8, 12), dtype=np.float32)
        wide[:, ::2] = given
        swapped = given.astype(">f4")
        for same in (np.asfortranarray(given), wide[:, ::2], given.astype(np.float64), swapped, given.tolist()):
            np.testing.assert_array_equal(reader(same).rows, expected)

    def test_a_spec_comes_back_with_all_fields(self):
        reader = reader_for(SKIMMING)
        self.assertEqual(reader.spec, {**SKIMMING, "kind": "skim", "small_sees": "head", "decision": "linear"})
        self.assertEqual((reader.input, reader.hidden, reader.reverse), (6, 11, False))
        self.assertEqual(repr(reader), "<skim.SkimReader skim lstm, 6 to 11>")


class FromTorch(unittest.TestCase):
    def test_the_formulas_of_torch(self):
        for cell in ("lstm", "gru", "rnn"):
            state = torch_state(cell, 5, 7)
            given, h, c = support.rows_for(12, 5), np.linspace(-1, 1, 7), np.linspace(1, -1, 7)
            reader = skim.SkimReader.from_torch(state)
            self.assertEqual(reader.spec["cell"], cell)
            rows = reader(given, reader.start(h, c if cell == "lstm" else None)).rows
            for row, x in zip(rows, given.astype(np.float64)):
                h, c = torch_cell(cell, state, x, h, c)
                # Twelve steps of float32 sums over a dozen numbers below 1.
                np.testing.assert_allclose(row, h, atol=2e-6)

    def test_prefix_layer_and_direction_name_the_weights(self):
        state = torch_state("gru", 5, 7)
        renamed = {f"encoder.{name.replace('_l0', '_l2_reverse')}": values for name, values in state.items()}
        given = support.rows_for(6, 5)
        reader = skim.SkimReader.from_torch(renamed, layer=2, reverse=True, prefix="encoder.")
        np.testing.assert_array_equal(reader(given).rows, skim.SkimReader.from_torch(state)(given[::-1]).rows[::-1])

    def test_no_bias_is_a_bias_of_zero(self):
        state = torch_state("gru", 5, 7)
        zero = {name: values * (not name.startswith("bias")) for name, values in state.items()}
        bare = {name: values for name, values in state.items() if not name.startswith("bias")}
        given = support.rows_for(6, 5)
        np.testing.assert_array_equal(skim.SkimReader.from_torch(bare)(given).rows, skim.SkimReader.from_torch(zero)(given).rows)

    def test_what_cannot_be_a_reader_is_refused(self):
        state = torch_state("lstm", 5, 7)
        for change, message in (({"weight_hr_l0": np.zeros((3, 7))}, "proj_size"),
                                ({"weight_hh_l0": np.zeros((28, 6))}, "neither an LSTM"),
                                ({"weight_hh_l0": np.zeros((28, 0))}, "neither an LSTM"),
                                ({"weight_ih_l0": np.zeros((27, 5))}, "neither an LSTM"),
                                ({"weight_ih_l0": np.zeros(28)}, "must be a matrix"),
                                ({"bias_ih_l0": np.zeros(27)}, r"must be \(28,\)"),
                                ({"bias_hh_l0": np.full(28, np.nan)}, "not a finite")):
            with self.assertRaisesRegex(skim.Error, message):
                skim.SkimReader.from_torch({**state, **change})
        with self.assertRaisesRegex(skim.Error, "no weight_ih_l1; there is bias_hh_l0, "):
            skim.SkimReader.from_torch(state, layer=1)
        self.assertRaises(TypeError, skim.SkimReader.from_torch, {**state, "bias_ih_l0": np.zeros(28, dtype=int)})
        for wrong in (None, 3, "path", [1]):
            self.assertRaises(TypeError, skim.SkimReader.from_torch, wrong)
        self.assertRaises(TypeError, skim.SkimReader.from_torch, state, layer="0")


class BadInput(unittest.TestCase):
    def setUp(self):
        self.reader = reader_for(SKIMMING)

    def test_rows_of_the_wrong_shape(self):
        for shape in ((6,), (3, 5), (3, 7), (2, 3, 6), (), (6, 0)):
            with self.assertRaisesRegex(skim.Error, r"must be \(count, 6\)"):
                self.reader(np.zeros(shape, dtype=np.float32))

    def test_rows_of_the_wrong_type(self):
        for wrong in (None, "rows", np.zeros((3, 6), dtype=int), np.zeros((3, 6), dtype=complex), np.zeros((3, 6), dtype=bool),
                      np.full((3, 6), None), [["a"] * 6]):
            self.assertRaises(TypeError, self.reader, wrong)

    def test_numbers_that_are_none(self):
        for wrong in (np.nan, np.inf, 1e300):
            given = np.zeros((3, 6))
            given[1, 2] = wrong
            with self.assertRaisesRegex(skim.Error, r"rows\[1, 2\] is not a finite number"):
                self.reader(given)
        self.assertEqual(self.reader(np.full((3, 6), 3e38)).rows.shape, (3, 11))

    def test_states_of_another_kind(self):
        given = support.rows_for(2, 6)
        for wrong in (3, np.zeros(11), (np.zeros(11), np.zeros(11))):
            self.assertRaises(TypeError, self.reader, given, wrong)
        other = reader_for({"cell": "rnn", "input": 6, "hidden": 3})
        with self.assertRaisesRegex(skim.Error, "state.hidden has 3 entries, it needs 11"):
            self.reader(given, other.start())
        with self.assertRaisesRegex(skim.Error, "hidden has the shape"):
            self.reader.start(np.zeros(3))
        with self.assertRaisesRegex(skim.Error, r"cell\[0\] is not a finite number"):
            self.reader.start(np.zeros(11), np.full(11, np.nan))
        with self.assertRaisesRegex(skim.Error, "no cell state"):
            other.start(np.zeros(3), np.zeros(3))

    def test_specs_that_make_no_sense(self):
        tensors = support.tensors_for(SKIMMING)
        for change in ({"cell": "tree"}, {"input": 0}, {"hidden": -3}, {"hidden": 1 << 40}, {"small": [20]}, {"small": 4},
                       {"kind": "fast"}, {"decision": None}, {"input": "6"}):
            with self.subTest(change):
                self.assertRaises(skim.Error, skim.SkimReader, {**SKIMMING, **change}, tensors)
        for wrong in (None, "lstm", {**SKIMMING, "cell": object()}, {**SKIMMING, "cell": {1, 2}}):
            self.assertRaises(TypeError, skim.SkimReader, wrong, tensors)
        self.assertRaises(skim.Error, skim.SkimReader, SKIMMING, tensors, weights="f64")

    def test_tensors_that_do_not_fit(self):
        tensors = support.tensors_for(SKIMMING)
        for change, message in (({"big.w": np.zeros((3, 3))}, "'big.w' is 3x3, the spec asks for 44x6"),
                                ({"more": np.zeros(3)}, "'more' is none"),
                                ({"big.b": np.full(44, np.inf)}, "'big.b' holds a value that is not"),
                                ({"big.b": np.float32(3)}, "'big.b' is")):
            with self.assertRaisesRegex(skim.Error, message):
                skim.SkimReader(SKIMMING, {**tensors, **change})
        del tensors["decision.u"]
        with self.assertRaisesRegex(skim.Error, "'decision.u' .* is missing"):
            skim.SkimReader(SKIMMING, tensors)
        self.assertRaises(TypeError, skim.SkimReader, SKIMMING, {"big.w": "text"})
        self.assertRaises(TypeError, skim.SkimReader, SKIMMING, [("big.w", np.zeros((3, 3)))])

    def test_the_dial_is_checked_here_too(self):
        given = support.rows_for(2, 6)
        self.assertRaises(skim.Error, self.reader, given, threshold=2)
        self.assertRaises(skim.Error, self.reader, given, rule="guess")
        self.assertRaises(TypeError, self.reader, given, budget=0.5)


if __name__ == "__main__":
    unittest.main()
