"""Takes an ONNX file apart by the protobuf rules alone, to see what is in it: nodes, graphs inside nodes, metadata."""
import dataclasses


def fields(data):
    """(number, value) of every field of a message: whole numbers, or bytes."""
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


def all_of(data, number):
    return [value for found, value in fields(data) if found == number]


def text_of(data, number):
    (value,) = all_of(data, number)
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


def node_of(data):
    graphs = {text_of(attribute, 1): graph_of(graph) for attribute in all_of(data, 5) for graph in all_of(attribute, 6)}
    return Node(text_of(data, 4), text_of(data, 3), [name.decode() for name in all_of(data, 1)], graphs)


def graph_of(data):
    return Graph([node_of(node) for node in all_of(data, 1)], [text_of(one, 8) for one in all_of(data, 5)],
                 [text_of(one, 1) for one in all_of(data, 11)], [text_of(one, 1) for one in all_of(data, 12)])


def read(path):
    """The outermost graph and the metadata."""
    data = path.read_bytes()
    (graph,) = all_of(data, 7)
    return graph_of(graph), {text_of(entry, 1): text_of(entry, 2) for entry in all_of(data, 14)}


def users_of(graph, constant, inside=()):
    """Every node that takes the constant, with the kinds of branches it stands in, outermost first."""
    for node in graph.nodes:
        if constant in node.inputs:
            yield node, inside
        for branch, inner in node.graphs.items():
            yield from users_of(inner, constant, (*inside, (node.kind, branch)))
