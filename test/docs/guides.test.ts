// Runs the commands of the guides in order and compares their output with the guides'.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { type Guide, type GuideCommand, isAsShown, readGuide } from './guide.ts'
import { follow, type Outcome } from './shell.ts'
import { typeFaults } from './typed-programs.ts'

const guides = new Map(
  readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => [basename(name), readGuide(readFileSync(join('docs', name), 'utf8'))] as const)
    .filter(([, guide]) => guide.steps.length > 0 || guide.run !== null),
)

const demo: GuideCommand = { line: 0, text: 'tidemark demo --data ./data/demo', answer: null, exitCode: 0 }

interface Placed extends GuideCommand {
  readonly guide: string
}

/** The guides to run in one shell: an independent guide, and those that continue it. */
function chainFrom(name: string): string[] {
  const next = [...guides].filter(([, { run }]) => run === `after ${name}`).map(([other]) => other)
  return [name, ...next.flatMap(chainFrom)]
}

const isStart = ({ run }: Guide): boolean => run === 'in a fresh folder' || run === 'with the demo'
const chains = [...guides].filter(([, guide]) => isStart(guide)).map(([name]) => chainFrom(name))

test('every guide with commands says how they are run', () => {
  const followed = new Set(chains.flat())
  const silent = [...guides].filter(([name, { run }]) => !followed.has(name) && !run?.startsWith('nothing, because '))
  expect(silent.map(([name]) => name)).toEqual([])
})

test('programs of the guides pass the type check against the client', async () => {
  const programs = [...guides.values()].flatMap(({ steps }) =>
    steps.flatMap((step) => ('name' in step && step.content.includes("'tidemark/client'") ? [step] : [])),
  )
  expect(programs.map(({ name }) => name)).toContain('receipt.mjs')
  expect(await inScratchFolder('tidemark-programs-', (folder) => typeFaults(folder, programs))).toBe('')
})

/** Describes how an outcome differs from the guide; null if it does not. */
function wrongWith(
  { guide, line, text, answer, exitCode }: Placed,
  { output, exitCode: came }: Outcome,
): string | null {
  const where = `${guide}:${line}: ${text}\n`
  if (came !== exitCode) return `${where}ended with ${came}: ${output}`
  if (answer === null) return /"type":"about:blank"/.test(output) ? `${where}was refused: ${output}` : null
  return isAsShown(answer, output) ? null : `${where}answered:\n${output}and not:\n${answer}`
}

describe.concurrent('each command outputs what its guide shows', () => {
  test.each(chains.map((chain) => [chain.join(', '), chain] as const))('%s', async (_, chain) => {
    const steps = chain.flatMap((name) => guides.get(name)!.steps.map((step) => ({ ...step, guide: name })))
    const first = guides.get(chain[0]!)!.run === 'with the demo' ? [{ ...demo, guide: 'the demo' }] : []
    const all = [...first, ...steps]
    const port = await freePort()
    const outcomes = await inScratchFolder('tidemark-guide-', (folder) => follow({ folder, port, steps: all }))
    const commands = all.filter((step) => 'text' in step)
    const wrong = commands.map((command, index) =>
      wrongWith(command, outcomes[index] ?? { output: 'nothing: the shell had ended', exitCode: -1 }),
    )
    expect(wrong.filter((text) => text !== null)).toEqual([])
  })
})
