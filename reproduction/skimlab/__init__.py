"""The experiments of the Skim-RNN paper over the command line of skim: rows, runs, timing, tables, figures."""
