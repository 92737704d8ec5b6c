// Each list exists in one place. Files that show or document its entries derive them from there, or are compared with it here.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { answerFormats } from '../src/model/answer-format.ts'
import { granularityNames } from '../src/model/granularity.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const guide = readFileSync(join(root, 'docs/guides/querying.md'), 'utf8')
const openapi = JSON.parse(readFileSync(join(root, 'test/openapi.json'), 'utf8'))

const production = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => join('src', name))

/** The files that contain one of these words as a string or as a key. */
function listing(words: readonly string[]): string[] {
  const anyOf = new RegExp(`(['"\`])(?:${words.join('|')})\\1|^  (?:${words.join('|')}): `, 'm')
  return production.filter((file) => anyOf.test(readFileSync(join(root, file), 'utf8')))
}

test('formats are listed in one file; the guide and the OpenAPI document name each', () => {
  const mediaTypes = answerFormats.map(({ mediaType }) => mediaType)
  expect(listing(['text/csv', 'application/vnd.apache.arrow.stream'])).toEqual(['src/model/answer-format.ts'])
  expect(mediaTypes.filter((mediaType) => !guide.includes(`\`${mediaType}\``))).toEqual([])
  for (const [path, { post }] of Object.entries<{ post?: { responses: { 200: { content?: object } } } }>(
    openapi.paths,
  )) {
    const offered = Object.keys(post?.responses[200]?.content ?? {})
    if (offered.includes('text/csv')) expect([path, offered]).toEqual([path, mediaTypes])
  }
})

test('granularities are listed in one file; requests and the OpenAPI document name each', () => {
  const names = Object.keys(granularityNames)
  expect(listing(names.filter((name) => name.includes('_')))).toEqual(['src/model/granularity.ts'])
  const { description } =
    openapi.paths['/consumer/data/average'].post.requestBody.content['application/json'].schema.properties.granularity
  expect(names.filter((name) => !description.includes(`\`${name}\``))).toEqual([])
})

test('the operators of items are listed in one file', () => {
  expect(production.filter((file) => /'gte'.*\n?.*'lte'/.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})

test('the page on NextToken names each paged list, unless its scope is its path', () => {
  const page = readFileSync(join(root, 'docs/formats/next-token.md'), 'utf8')
  const scopes = production.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bscope(?:: TokenScope)?(?::| =) \['([^']+)'/g)].map(
      (match) => match[1]!,
    ),
  )
  expect(scopes.length).toBeGreaterThan(8)
  const isPath = (scope: string): boolean => openapi.paths[scope]?.get !== undefined
  expect(scopes.filter((scope) => !isPath(scope) && !page.includes(`["${scope}"`))).toEqual([])
})
