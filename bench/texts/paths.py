"""The folders and data sets that the command line names."""
from sets import Fault, Set


def resolve_paths(options):
    """Makes --data, --work, --build and --vectors absolute, checks them, and returns the data sets of --sets."""
    options.data, options.work, options.build = (path.resolve() for path in (options.data, options.work, options.build))
    options.work.mkdir(parents=True, exist_ok=True)
    usual = options.data / "glove/glove.6B.100d.txt"
    if options.vectors and not options.vectors.is_file():
        raise Fault(f"{options.vectors} is missing: --vectors names a file of GloVe vectors")
    if not options.vectors and usual.is_file():
        options.vectors = usual
    names = options.sets.split(",")
    without = [model.name for model in options.skim if "{set}" not in model.file]
    if len(names) > 1 and without:
        raise Fault(f"--skim {without[0]}: with several --sets its FILE needs {{set}}, as in models/{{set}}.skim")
    return [Set(options.data, name) for name in names]
