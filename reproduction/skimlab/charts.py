"""A chart as data: axes and series, before it is drawn."""
import dataclasses

Point = tuple[float, float]


@dataclasses.dataclass(frozen=True)
class Axis:
    label: str
    unit: str = ""  # "%": values are shares and shown in percent; "x": values are factors
    logarithmic: bool = False


@dataclasses.dataclass
class Series:
    name: str
    points: list[Point] = dataclasses.field(default_factory=list)
    line: str = "solid"  # solid, dashed or none
    color: int = 0


@dataclasses.dataclass
class Chart:
    file: str  # without its ending
    title: str
    x: Axis
    y: Axis
    series: list[Series] = dataclasses.field(default_factory=list)

    def add(self, name: str, points: list[Point], line: str = "solid") -> None:
        self.series.append(Series(name, points, line, len(self.series)))
