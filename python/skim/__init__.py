"""Skim-RNN inference: a recurrent network that decides at every word whether to read or to skim it.

>>> import skim
>>> model = skim.Model.load()
>>> reading = model.read("The plot is thin, but the ending is wonderful.")
>>> reading.label in model.labels
True
>>> [word.text for word in reading.words][:4]
['The', 'plot', 'is', 'thin']

See docs/python.md for the full documentation.
"""
from ._errors import Error, FileError
from ._model import Model
from ._reader import Output, SkimReader, Steps
from ._reading import Answer, Pass, Reading, Word
from ._skim import LayerState as State, __version__

__all__ = ["Answer", "Error", "FileError", "Model", "Output", "Pass", "Reading", "SkimReader", "State", "Steps", "Word",
           "__version__"]
