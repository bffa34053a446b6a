"""SkimReader: laws, conversion from torch, invalid input."""
import unittest

import numpy as np
import skim
import support


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def torch_cell(cell, state, x, h, c):
    """One step of torch.nn.LSTM, GRU or RNN by the formulas of its documentation, in double precision."""
    input_part = state["weight_ih_l0"] @ x + state["bias_ih_l0"]
    state_part = state["weight_hh_l0"] @ h + state["bias_hh_l0"]
    if cell == "rnn":
        return np.tanh(input_part + state_part), c
    if cell == "lstm":
        i, f, g, o = np.split(input_part + state_part, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    (r, z, n), (ur, uz, un) = np.split(input_part, 3), np.split(state_part, 3)
    r, z = sigmoid(r + ur), sigmoid(z + uz)
    return (1 - z) * np.tanh(n + r * un) + z * h, c


def torch_state(cell, width, hidden, seed=3):
    rows = {"lstm": 4, "gru": 3, "rnn": 1}[cell] * hidden
    random = np.random.default_rng(seed)
    shapes = {"weight_ih_l0": (rows, width), "weight_hh_l0": (rows, hidden), "bias_ih_l0": (rows,), "bias_hh_l0": (rows,)}
    return {name: random.uniform(-0.5, 0.5, shape) for name, shape in shapes.items()}


SKIMMING = {"cell": "lstm", "input_size": 6, "hidden_size": 11, "skim_sizes": [4]}


def make_reader(spec, **options):
    return skim.SkimReader(spec, support.tensors_for(spec), **options)


class Laws(unittest.TestCase):
    def test_output_shapes(self):
        for cell in ("lstm", "gru", "rnn"):
            for skim_sizes in ([], [4], [0], [7, 2]):
                reader = make_reader({"cell": cell, "input_size": 6, "hidden_size": 11, "skim_sizes": skim_sizes})
                rows, state, steps = reader(support.rows_for(9, 6))
                self.assertEqual((rows.shape, rows.dtype), ((9, 11), np.float32))
                self.assertTrue(set(steps.widths.tolist()) <= {11, *skim_sizes})
                self.assertEqual(steps.p_read.shape, (9,))
                np.testing.assert_array_equal(state.hidden, rows[-1])
                self.assertEqual((state.position, state.cell.shape), (9, (11,) if cell == "lstm" else (0,)))

    def test_chunks_equal_the_whole(self):
        given = support.rows_for(30, 6)
        jump = {"cell": "rnn", "input_size": 6, "hidden_size": 11, "kind": "lstm-jump",
                "jump": {"tokens_per_jump": 3, "max_jump": 4, "max_jumps": 2}}
        more = {"jump.weight": support.rows_for(5, 11), "jump.bias": support.rows_for(5, 1)[:, 0]}
        readers = [make_reader(SKIMMING, weight_type=weight_type) for weight_type in ("f32", "bf16", "int8")]
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

    def test_reading_every_row_equals_the_dense_reader(self):
        tensors = support.tensors_for(SKIMMING)
        dense = skim.SkimReader({**SKIMMING, "skim_sizes": []}, {k: v for k, v in tensors.items() if k.startswith("big")})
        given = support.rows_for(9, 6)
        every = skim.SkimReader(SKIMMING, tensors)(given, threshold=0)
        np.testing.assert_array_equal(every.rows, dense(given).rows)
        self.assertEqual(set(every.steps.widths.tolist()), {11})

    def test_skimming_leaves_the_remaining_units_unchanged(self):
        rows = make_reader(SKIMMING)(support.rows_for(9, 6), threshold=1).rows
        self.assertTrue((rows[:, 4:] == 0).all() and (rows[:, :4] != 0).all())

    def test_reading_does_not_modify_the_given_state(self):
        reader = make_reader(SKIMMING)
        middle = reader(support.rows_for(5, 6)).state
        before = middle.hidden.copy()
        first, second = reader(support.rows_for(4, 6), middle), reader(support.rows_for(4, 6), middle)
        np.testing.assert_array_equal(middle.hidden, before)
        np.testing.assert_array_equal(first.rows, second.rows)

    def test_reverse_equals_forward_on_reversed_rows(self):
        given = support.rows_for(9, 6)
        forward, backward = make_reader(SKIMMING)(given[::-1]), make_reader(SKIMMING, reverse=True)(given)
        np.testing.assert_array_equal(backward.rows, forward.rows[::-1])
        np.testing.assert_array_equal(backward.steps.p_read, forward.steps.p_read[::-1])
        np.testing.assert_array_equal(backward.state.hidden, backward.rows[0])

    def test_empty_input_gives_empty_output(self):
        rows, state, steps = make_reader(SKIMMING)(np.zeros((0, 6), dtype=np.float32))
        self.assertEqual((rows.shape, steps.widths.shape, state.position), ((0, 11), (0,), 0))

    def test_memory_layout_and_float_type_do_not_matter(self):
        reader, given = make_reader(SKIMMING), support.rows_for(8, 6)
        expected = reader(given).rows
        wide = np.zeros((8, 12), dtype=np.float32)
        wide[:, ::2] = given
        swapped = given.astype(">f4")
        for same in (np.asfortranarray(given), wide[:, ::2], given.astype(np.float64), swapped, given.tolist()):
            np.testing.assert_array_equal(reader(same).rows, expected)

    def test_spec_has_all_fields(self):
        reader = make_reader(SKIMMING)
        self.assertEqual(reader.spec, {**SKIMMING, "kind": "skim", "small_input": "prefix", "decision": "linear"})
        self.assertEqual((reader.input_size, reader.hidden_size, reader.reverse), (6, 11, False))
        self.assertEqual(repr(reader), "<skim.SkimReader skim lstm, 6 to 11>")


class FromTorch(unittest.TestCase):
    def test_equals_the_formulas_of_torch(self):
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

    def test_prefix_layer_and_direction_select_the_weights(self):
        state = torch_state("gru", 5, 7)
        renamed = {f"encoder.{name.replace('_l0', '_l2_reverse')}": values for name, values in state.items()}
        given = support.rows_for(6, 5)
        reader = skim.SkimReader.from_torch(renamed, layer=2, reverse=True, prefix="encoder.")
        np.testing.assert_array_equal(reader(given).rows, skim.SkimReader.from_torch(state)(given[::-1]).rows[::-1])

    def test_a_missing_bias_equals_zero(self):
        state = torch_state("gru", 5, 7)
        zero = {name: values * (not name.startswith("bias")) for name, values in state.items()}
        bare = {name: values for name, values in state.items() if not name.startswith("bias")}
        given = support.rows_for(6, 5)
        np.testing.assert_array_equal(skim.SkimReader.from_torch(bare)(given).rows, skim.SkimReader.from_torch(zero)(given).rows)

    def test_unsupported_weights_are_rejected(self):
        state = torch_state("lstm", 5, 7)
        for change, message in (({"weight_hr_l0": np.zeros((3, 7))}, "proj_size"),
                                ({"weight_hh_l0": np.zeros((28, 6))}, "neither an LSTM"),
                                ({"weight_hh_l0": np.zeros((28, 0))}, "neither an LSTM"),
                                ({"weight_ih_l0": np.zeros((27, 5))}, "neither an LSTM"),
                                ({"weight_ih_l0": np.zeros(28)}, "expected a matrix"),
                                ({"bias_ih_l0": np.zeros(27)}, r"expected \(28,\)"),
                                ({"bias_hh_l0": np.full(28, np.nan)}, "not finite")):
            with self.assertRaisesRegex(skim.Error, message):
                skim.SkimReader.from_torch({**state, **change})
        with self.assertRaisesRegex(skim.Error, "no weight_ih_l1 among the weights: bias_hh_l0, "):
            skim.SkimReader.from_torch(state, layer=1)
        self.assertRaises(TypeError, skim.SkimReader.from_torch, {**state, "bias_ih_l0": np.zeros(28, dtype=int)})
        for wrong in (None, 3, "path", [1]):
            self.assertRaises(TypeError, skim.SkimReader.from_torch, wrong)
        self.assertRaises(TypeError, skim.SkimReader.from_torch, state, layer="0")


class BadInput(unittest.TestCase):
    def setUp(self):
        self.reader = make_reader(SKIMMING)

    def test_wrong_input_shape(self):
        for shape in ((6,), (3, 5), (3, 7), (2, 3, 6), (), (6, 0)):
            with self.assertRaisesRegex(skim.Error, r"expected \(count, 6\)"):
                self.reader(np.zeros(shape, dtype=np.float32))

    def test_wrong_input_type(self):
        for wrong in (None, "rows", np.zeros((3, 6), dtype=int), np.zeros((3, 6), dtype=complex), np.zeros((3, 6), dtype=bool),
                      np.full((3, 6), None), [["a"] * 6]):
            self.assertRaises(TypeError, self.reader, wrong)

    def test_non_finite_input(self):
        for wrong in (np.nan, np.inf, 1e300):
            given = np.zeros((3, 6))
            given[1, 2] = wrong
            with self.assertRaisesRegex(skim.Error, r"rows\[1, 2\] is not a finite number"):
                self.reader(given)
        self.assertEqual(self.reader(np.full((3, 6), 3e38)).rows.shape, (3, 11))

    def test_wrong_state(self):
        given = support.rows_for(2, 6)
        for wrong in (3, np.zeros(11), (np.zeros(11), np.zeros(11))):
            self.assertRaises(TypeError, self.reader, given, wrong)
        other = make_reader({"cell": "rnn", "input_size": 6, "hidden_size": 3})
        with self.assertRaisesRegex(skim.Error, "state.hidden has 3 entries, expected 11"):
            self.reader(given, other.start())
        with self.assertRaisesRegex(skim.Error, "hidden has the shape"):
            self.reader.start(np.zeros(3))
        with self.assertRaisesRegex(skim.Error, r"cell\[0\] is not a finite number"):
            self.reader.start(np.zeros(11), np.full(11, np.nan))
        with self.assertRaisesRegex(skim.Error, "no cell state"):
            other.start(np.zeros(3), np.zeros(3))

    def test_invalid_specs(self):
        tensors = support.tensors_for(SKIMMING)
        for change in ({"cell": "tree"}, {"input_size": 0}, {"hidden_size": -3}, {"hidden_size": 1 << 40},
                       {"skim_sizes": [20]}, {"skim_sizes": 4},
                       {"kind": "fast"}, {"decision": None}, {"input_size": "6"}):
            with self.subTest(change):
                self.assertRaises(skim.Error, skim.SkimReader, {**SKIMMING, **change}, tensors)
        for wrong in (None, "lstm", {**SKIMMING, "cell": object()}, {**SKIMMING, "cell": {1, 2}}):
            self.assertRaises(TypeError, skim.SkimReader, wrong, tensors)
        self.assertRaises(skim.Error, skim.SkimReader, SKIMMING, tensors, weight_type="f64")

    def test_invalid_tensors(self):
        tensors = support.tensors_for(SKIMMING)
        for change, message in (({"big.weight_ih": np.zeros((3, 3))},
                                 r"'big.weight_ih' has shape \[3, 3\], expected \[44, 6\]"),
                                ({"more": np.zeros(3)}, "'more' is not part of the spec"),
                                ({"big.bias": np.full(44, np.inf)}, "'big.bias' has a value that is not finite"),
                                ({"big.bias": np.float32(3)}, "'big.bias' has shape")):
            with self.assertRaisesRegex(skim.Error, message):
                skim.SkimReader(SKIMMING, {**tensors, **change})
        del tensors["decision.weight_hh"]
        with self.assertRaisesRegex(skim.Error, "'decision.weight_hh' .* is missing"):
            skim.SkimReader(SKIMMING, tensors)
        self.assertRaises(TypeError, skim.SkimReader, SKIMMING, {"big.weight_ih": "text"})
        self.assertRaises(TypeError, skim.SkimReader, SKIMMING, [("big.weight_ih", np.zeros((3, 3)))])

    def test_invalid_policy_arguments(self):
        given = support.rows_for(2, 6)
        self.assertRaises(skim.Error, self.reader, given, threshold=2)
        self.assertRaises(skim.Error, self.reader, given, rule="guess")
        self.assertRaises(TypeError, self.reader, given, budget=0.5)


if __name__ == "__main__":
    unittest.main()
