// The points of two servers: two measurements with gaps and missing fields, and one with a nasty name. No two points of a measurement are of one time.
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
