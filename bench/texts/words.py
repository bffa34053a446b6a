"""Text to words as a PyTorch user would write it: one regular expression, after skim's rules (src/text/tokenizer.h).

It follows them in English text but for rare cases; the report says on how many texts the answers agree.
"""
import re

PATTERN = re.compile(
    r"(?:mr|mrs|ms|dr|st|jr|sr|vs|inc|co|ltd|corp|sen|gen|gov|rep|rev|prof|lt|col|sgt|jan|feb|capt|sept|oct|nov|dec|aug)"
    r"\.(?!\.)"
    r"|(?:[a-z]\.){2,}"                    # u.s.
    r"|[^\W_]+?(?=n't(?![^\W_]))|n't(?![^\W_])"
    r"|'(?:s|m|d|re|ve|ll)(?![^\W_])"
    r"|\d+(?:[.,:]\d+)+"
    r"|[^\W_]+(?:'(?!(?:s|m|d|re|ve|ll)(?![^\W_]))[^\W_]+)*"
    r"|\.\.+|--+|``|''"
    r"|\S")


def split_words(text):
    return PATTERN.findall(text.lower().replace("\u2019", "'"))


def lookup(words):
    """A function from a text to ids; 0 for unknown words. `words` is the model's vocabulary."""
    ids = {word: number for number, word in enumerate(words) if number}
    runs = {".": ids.get("...", 0), "-": ids.get("--", 0)}

    def find(word):
        found = ids.get(word, 0)
        return found if found or len(word) < 2 or word[0] not in runs or word.strip(word[0]) else runs[word[0]]

    return lambda text: [find(word) for word in split_words(text)]
