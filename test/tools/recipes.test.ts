// Runs the recipes for Python and others next to a demo, with the packages that they name in a separate environment.
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { type GuideCommand, isAsShown, readGuide } from '../docs/guide.ts'
import { follow } from '../docs/shell.ts'
import { freePort } from '../support/free-port.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { python } from './python.ts'

const demo: GuideCommand = { line: 0, text: 'tidemark demo --data ./data/demo', answer: null, exitCode: 0 }

const duckdb = ['duckdb==1.5.5', 'duckdb-extensions', 'duckdb-extension-httpfs==1.5.5']
const packages = ['requests', 'pandas', 'pyarrow', 'polars', ...duckdb]

test('each recipe outputs what the guide shows', { timeout: 600_000 }, () =>
  inScratchFolder('tidemark-recipes-', async (folder) => {
    process.env['PATH'] = `${dirname(await python('recipes', packages))}:${process.env['PATH']}`
    const steps = [demo, ...readGuide(readFileSync('docs/guides/recipes.md', 'utf8')).steps]
    const commands = steps.filter((step) => 'text' in step)
    const outcomes = await follow({ folder, port: await freePort(), steps })
    const wrong = commands
      .map(({ text, answer }, index) => ({ text, answer, came: outcomes[index] }))
      .filter(({ answer, came }) => came?.exitCode !== 0 || (answer !== null && !isAsShown(answer, came.output)))
    expect(wrong).toEqual([])
  }),
)
