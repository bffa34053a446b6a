"""A minimal ONNX parser, independent of the writer: nodes, subgraphs, metadata."""
import dataclasses


def fields(data):
    """Yields (number, value) of every field of a message; values are integers or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            yield number, varint()
        elif wire == 2:
            length = varint()
            if at + length > len(data):
                raise ValueError("a field ends beyond its message")
            yield number, data[at:at + length]
            at += length
        else:
            raise ValueError(f"wire type {wire} is not expected here")


def repeated_field(data, number):
    return [value for found, value in fields(data) if found == number]


def text_field(data, number):
    (value,) = repeated_field(data, number)
    return value.decode()


@dataclasses.dataclass
class Node:
    kind: str
    name: str
    inputs: list
    graphs: dict  # name of the attribute to Graph


@dataclasses.dataclass
class Graph:
    nodes: list
    constants: list  # names
    inputs: list
    outputs: list


def parse_node(data):
    graphs = {text_field(attribute, 1): parse_graph(graph) for attribute in repeated_field(data, 5) for graph in repeated_field(attribute, 6)}
    return Node(text_field(data, 4), text_field(data, 3), [name.decode() for name in repeated_field(data, 1)], graphs)


def parse_graph(data):
    return Graph([parse_node(node) for node in repeated_field(data, 1)], [text_field(one, 8) for one in repeated_field(data, 5)],
                 [text_field(one, 1) for one in repeated_field(data, 11)], [text_field(one, 1) for one in repeated_field(data, 12)])


def read(path):
    """Returns the main graph and the metadata."""
    data = path.read_bytes()
    (graph,) = repeated_field(data, 7)
    return parse_graph(graph), {text_field(entry, 1): text_field(entry, 2) for entry in repeated_field(data, 14)}


def find_users(graph, constant, inside=()):
    """Yields every node that uses the initializer, with its enclosing subgraphs, outermost first."""
    for node in graph.nodes:
        if constant in node.inputs:
            yield node, inside
        for branch, inner in node.graphs.items():
            yield from find_users(inner, constant, (*inside, (node.kind, branch)))
