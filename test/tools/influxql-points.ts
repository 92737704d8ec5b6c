// Points for both servers. Random ones: two measurements with gaps and missing fields, and one with a difficult name; the points of a measurement have
// distinct times. And readings of tags: the demo's, and the Numenta Anomaly Benchmark's.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { instrumentsOf, rowsAt } from '../../src/cli/demo/plant.ts'
import type { Random } from '../support/random.ts'

export const fromMs = Date.parse('2026-03-27T00:00:00Z')
export const untilMs = Date.parse('2026-03-31T00:00:00Z')

export const fieldsOfLines = [
  { name: 'time', type: 'timestamp', role: 'time' },
  { name: 'measurement', type: 'string', role: 'tag' },
  { name: 'host', type: 'string', role: 'tag' },
  { name: 'region', type: 'string', role: 'dimension' },
  { name: 'v', type: 'double', role: 'metric' },
  { name: 'n', type: 'long', role: 'metric' },
  { name: 'm', type: 'double', role: 'metric' },
  { name: 's', type: 'string', role: 'metric' },
  { name: 'ok', type: 'boolean', role: 'metric' },
]

export function randomLines(random: Random): string {
  const chance = (percent: number): boolean => random.below(100) < percent
  const lines: string[] = []
  for (const measurement of ['cpu', 'disk', "a\\,\\ b=c\\ 'd"]) {
    let ms = fromMs
    while (ms < untilMs) {
      ms += 1 + random.below(chance(2) ? 20_000_000 : 1_200_000)
      const host = ['a', 'b', 'c', 'd\\ e'][random.below(4)]
      const region = ['', ',region=west', ',region=east'][random.below(3)]
      const fields = [
        ...(chance(80) ? [`v=${random.below(600) / 10 - 10}`] : []),
        ...(chance(60) ? [`n=${random.below(100) - 20}i`] : []),
        ...(chance(20) ? [`m=${random.below(1000)}`] : []),
        ...(chance(15) ? [`s="${chance(50) ? 'on' : 'it\\"s ä'}"`] : []),
        ...(chance(15) ? [`ok=${chance(50)}`] : []),
      ]
      if (fields.length > 0) lines.push(`${measurement},host=${host}${region} ${fields.join(',')} ${ms}`)
    }
  }
  return lines.join('\n')
}

export interface Reading {
  readonly D: number
  readonly T: string
  readonly V: number
}

const nabDirectory = fileURLToPath(new URL('../../../shared/data/nab/', import.meta.url))

/** Null if this machine does not have the files. */
export function nabReadings(): readonly Reading[] | null {
  if (!existsSync(nabDirectory)) return null
  const files = readdirSync(nabDirectory).filter((name) => name.endsWith('.csv'))
  return files.flatMap((file) => {
    const [, ...lines] = readFileSync(join(nabDirectory, file), 'utf8').trim().split('\n')
    return lines.map((line) => {
      const [time, value] = line.trim().split(',') as [string, string]
      return { D: Date.parse(`${time.replace(' ', 'T')}Z`), T: basename(file, '.csv'), V: Number(value) }
    })
  })
}

/** Two hours of the demo, on a day on which the clocks change. */
export function demoReadings(seed: number): readonly Reading[] {
  const instruments = instrumentsOf(seed)
  const minutes = Array.from({ length: 120 }, (_, minute) => Date.parse('2026-03-29T00:00:00Z') + 60_000 * minute)
  return minutes.flatMap((ms) =>
    rowsAt(seed, instruments, ms)
      .trim()
      .split('\n')
      .map((text) => {
        const { D, T, V } = JSON.parse(text) as { D: string; T: string; V: number }
        return { D: Date.parse(D), T, V }
      }),
  )
}
