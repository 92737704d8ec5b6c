import { printTable, spread } from '../figures.ts'
import { tidemark } from './tidemark.ts'
import type { Figures, Subject, Turn } from './turns.ts'

export function printQuestions(figures: Figures, subjects: readonly Subject[], connections: number): void {
  const title = (what: string): string => `Questions, connections: ${connections}, ${what}`
  if (connections === 1) printFigure(title('p50 ms'), figures, subjects, ({ p50 }) => p50, 3)
  else printFigure(title('answers a second'), figures, subjects, ({ perSecond }) => perSecond, 0)
  printFigure(title('p99 ms'), figures, subjects, ({ p99 }) => p99, 2)
  printFigure(title('CPU us'), figures, subjects, ({ cpuUs }) => cpuUs, 0)
  if (connections === 1) printRatios(title('p50 of Tidemark to that of'), figures, subjects, ({ p50 }) => p50)
  else printRatios(title('answers of Tidemark to those of'), figures, subjects, ({ perSecond }) => perSecond)
}

export function printPushes(figures: Figures, subjects: readonly Subject[]): void {
  printFigure('Pushes, k rows a second', figures, subjects, ({ perSecond }) => perSecond / 1000, 1)
  printFigure('Pushes, p99 ms', figures, subjects, ({ p99 }) => p99, 1)
  printFigure('Pushes, CPU us a row', figures, subjects, ({ cpuUs }) => cpuUs, 1)
  printRatios('Pushes, rows of Tidemark to those of', figures, subjects, ({ perSecond }) => perSecond)
}

type Figure = (turn: Turn) => number

function printFigure(
  title: string,
  figures: Figures,
  subjects: readonly Subject[],
  figure: Figure,
  digits: number,
): void {
  const lines = [...figures].map(([what, turns]) => [
    what,
    ...subjects.map((subject) => spread(turns.get(subject)!.map(figure), digits)),
  ])
  printTable(title, ['', ...subjects.map(({ name }) => name)], lines)
}

/** The ratios are computed per round and printed as their median and range. */
function printRatios(title: string, figures: Figures, subjects: readonly Subject[], figure: Figure): void {
  const own = subjects.find(({ name }) => name === tidemark.name)!
  const others = subjects.filter((subject) => subject !== own)
  const lines = [...figures].map(([what, turns]) => {
    const ofOwn = turns.get(own)!.map(figure)
    const ratios = others.map((other) => turns.get(other)!.map((turn, round) => ofOwn[round]! / figure(turn)))
    return [what, ...ratios.map((ratio) => spread(ratio, 2))]
  })
  printTable(title, ['', ...others.map(({ name }) => name)], lines)
}
