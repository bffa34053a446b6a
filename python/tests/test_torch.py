"""SkimReader.from_torch against torch itself, where it is installed."""
import unittest

import numpy as np
import skim
import support

try:
    import torch
except ImportError:
    torch = None


@unittest.skipUnless(torch, "torch is not installed (python3-torch); test_reader tests the formulas")
class AgainstTorch(unittest.TestCase):
    # Float32 sums of at most 16 terms, over 20 steps.
    TOLERANCE = 2e-6

    def test_one_layer(self):
        for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
            for bias in (True, False):
                torch.manual_seed(1)
                module = kind(5, 9, bias=bias)
                given = support.rows_for(20, 5)
                with torch.no_grad():
                    expected = module(torch.from_numpy(given))[0].numpy()
                for source in (module, module.state_dict()):
                    rows = skim.SkimReader.from_torch(source)(given).rows
                    np.testing.assert_allclose(rows, expected, atol=self.TOLERANCE)

    def test_stacked_bidirectional_layers(self):
        torch.manual_seed(2)
        module = torch.nn.LSTM(5, 8, num_layers=2, bidirectional=True)
        rows = given = support.rows_for(20, 5)
        for layer in range(2):
            sides = [skim.SkimReader.from_torch(module, layer, reverse)(rows) for reverse in (False, True)]
            rows = np.concatenate([side.rows for side in sides], axis=1)
        with torch.no_grad():
            expected, (hidden, cell) = module(torch.from_numpy(given))
        np.testing.assert_allclose(rows, expected.numpy(), atol=self.TOLERANCE)
        np.testing.assert_allclose(sides[1].state.hidden, hidden[3].numpy(), atol=self.TOLERANCE)
        np.testing.assert_allclose(sides[1].state.cell, cell[3].numpy(), atol=self.TOLERANCE)

    def test_other_float_types(self):
        module = torch.nn.GRU(5, 8)
        given = support.rows_for(4, 5)
        half = skim.SkimReader.from_torch(module.bfloat16())
        # bfloat16 has 8 significant bits; the weights are below 0.36.
        np.testing.assert_allclose(half(given).rows, skim.SkimReader.from_torch(module.double())(given).rows, atol=0.02)

    def test_unsupported_modules_are_rejected(self):
        with self.assertRaisesRegex(skim.Error, "relu"):
            skim.SkimReader.from_torch(torch.nn.RNN(5, 8, nonlinearity="relu"))
        with self.assertRaisesRegex(skim.Error, "proj_size"):
            skim.SkimReader.from_torch(torch.nn.LSTM(5, 8, proj_size=3))
        with self.assertRaisesRegex(skim.Error, "no weight_ih_l0"):
            skim.SkimReader.from_torch(torch.nn.Linear(5, 8))


if __name__ == "__main__":
    unittest.main()
