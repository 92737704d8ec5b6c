import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { StoreRegistry } from '../../../catalog/manifest.ts'
import { nodeDisk } from '../../../lib/node-disk.ts'
import { EntityRegistry } from './entity-registry.ts'
import { RegistryLog } from './registry-log.ts'

const root = await mkdtemp(join(tmpdir(), 'tidemark-registry-'))
afterAll(() => rm(root, { recursive: true }))

const settle = async (): Promise<void> => undefined

type Values = readonly (string | null)[]
/** The additions of a seal: tags, and the values of series. */
type Step = readonly [tags: readonly string[], series: readonly Values[]]
const contents = ({ series }: EntityRegistry) => ({
  tags: series.tags.map(({ name }) => name),
  series: Array.from({ length: series.count }, (_, number) => series.valuesOf(number)),
})

function learn({ series }: EntityRegistry, tags: readonly string[], values: readonly Values[]): void {
  for (const tag of tags) if (series.tag(tag) === null) series.addTag(tag)
  for (const one of values) series.restore(one)
}

let folders = 0
/** A registry written in steps, each as a seal does. `recorded` is the last recorded state. */
async function written(...steps: readonly Step[]) {
  const directory = join(root, String(++folders))
  const registry = new EntityRegistry(7)
  const log = await RegistryLog.begin({ disk: nodeDisk, directory, registry, settle })
  let recorded: StoreRegistry | null = null
  for (const [tags, series] of steps) {
    learn(registry, tags, series)
    recorded = (await log.extend()) ?? recorded
  }
  if (recorded === null) throw new Error('nothing was written')
  return { directory, registry, log, recorded, path: join(directory, 'series.log') }
}

async function reopened(directory: string, recorded: StoreRegistry): Promise<EntityRegistry> {
  const registry = new EntityRegistry(7)
  await RegistryLog.open({ disk: nodeDisk, directory, registry, settle }, recorded)
  return registry
}

describe('a registry', () => {
  test.each<[string, readonly Step[]]>([
    ['of one tag', [[['T'], [['a'], ['b']]]]],
    ['of unusual values', [[['T'], [[''], ['\0'], ['日本'], ['"\n'], ['\u{1f600}']]]]],
    ['of many blocks', [[['T'], Array.from({ length: 10_000 }, (_, index) => [`tag ${index}`])]]],
    [
      'that grew',
      [
        [['T'], [['a']]],
        [['T'], [['b'], ['c']]],
      ],
    ],
    [
      'with an added tag',
      [
        [['T'], [['a'], ['b']]],
        [
          ['T', 'U'],
          [
            ['a', 'x'],
            [null, 'x'],
            ['b', 'y'],
          ],
        ],
      ],
    ],
  ])('%s is read back as written', async (_name, steps) => {
    const { directory, registry, recorded } = await written(...steps)
    expect(contents(await reopened(directory, recorded))).toEqual(contents(registry))
  })

  test('writes nothing when there is nothing new', async () => {
    const { log } = await written([['T'], [['a']]])
    expect(await log.extend()).toBeNull()
  })

  test('is truncated to its recorded length, and continues from there', async () => {
    const { directory, recorded, registry, log, path } = await written([['T'], [['a']]])
    const whole = await readFile(path)
    learn(registry, [], [['never recorded'], ['nor this']])
    await log.extend()
    const again = new EntityRegistry(7)
    const open = await RegistryLog.open({ disk: nodeDisk, directory, registry: again, settle }, recorded)
    expect(await readFile(path)).toEqual(whole)
    learn(again, [], [['b']])
    const grown = await open.extend()
    expect(contents(await reopened(directory, grown!)).series).toEqual([['a'], ['b']])
  })

  test('that was never recorded is restarted', async () => {
    const { directory } = await written([['T'], [['a'], ['b']]])
    const registry = new EntityRegistry(7)
    const log = await RegistryLog.begin({ disk: nodeDisk, directory, registry, settle })
    learn(registry, ['T'], [['c']])
    const recorded = await log.extend()
    expect(contents(await reopened(directory, recorded!)).series).toEqual([['c']])
  })

  test('with any byte changed is damaged, and the error names the file', async () => {
    const { directory, recorded, path } = await written([['T'], [['a']]], [['T', 'U'], [['b', 'x']]])
    const whole = await readFile(path)
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole)
      bytes[at] = bytes[at]! ^ 0x20
      await writeFile(path, bytes)
      await expect(reopened(directory, recorded), `byte ${at}`).rejects.toThrow(path)
    }
  })

  test('that is missing or shorter than recorded is damaged', async () => {
    const { directory, recorded, path } = await written([['T'], [['a']]])
    await truncate(path, recorded.bytes - 1)
    await expect(reopened(directory, recorded)).rejects.toThrow('the file is shorter than the manifest says')
    await rm(path)
    await expect(reopened(directory, recorded)).rejects.toThrow(`${path}: the registry of series cannot be opened`)
  })
})
