// Writes the types of `tidemark/client` and `tidemark/mqtt` next to their code in dist: those of the client's own files as the compiler emits
// them, and the types of requests and responses generated from the schemas with which the service validates. So a program that uses the
// client needs no internal type of the service.
// node scripts/client-types.mjs, after `tsc -p tsconfig.client.json` has written build/client-types
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { runnerImport } from 'vite'

const root = dirname(import.meta.dirname)
const emitted = join(root, 'build/client-types')
const dist = join(root, 'dist')
const answers = join(emitted, 'client/answers.d.ts')

const isName = (name) => /^[A-Za-z_$][\w$]*$/.test(name)

function membersOf({ properties = {}, required = [] }) {
  return Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description === undefined ? '' : `/** ${schema.description.replaceAll('*/', '*\\/')} */ `
    return `${comment}${isName(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`
  })
}

function objectOf(schema) {
  const { properties = {}, additionalProperties, patternProperties } = schema
  const values = patternProperties === undefined ? additionalProperties : Object.values(patternProperties)[0]
  const isOpen = typeof values === 'object' || (values === true && Object.keys(properties).length === 0)
  const open = isOpen ? [`[name: string]: ${values === true ? 'unknown' : typeOf(values)}`] : []
  return `{ ${[...membersOf(schema), ...open].join('; ')} }`
}

function byName(name, schema) {
  if (name === 'object') return objectOf(schema)
  if (name === 'array') return schema.items === undefined ? 'unknown[]' : `(${typeOf(schema.items)})[]`
  if (name === 'integer') return 'number'
  if (['string', 'number', 'boolean', 'null'].includes(name)) return name
  throw new Error(`a schema of type ${name} has no type here: ${JSON.stringify(schema)}`)
}

/** The TypeScript type of the values that a JSON schema accepts. */
export function typeOf(schema) {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return either.map(typeOf).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((name) => byName(name, schema)).join(' | ')
  if (schema.type === undefined) return 'unknown'
  return byName(schema.type, schema)
}

/** Replaces an `import type { A as B }` of schemas by `type B = ...`. */
async function plainAnswers(text) {
  const imports = [...text.matchAll(/^import type \{([^}]*)\} from '([^']+)';\n/gm)]
  let plain = text
  for (const [line, names, path] of imports) {
    if (path.startsWith('../model/')) continue
    const { module } = await runnerImport(join(root, 'src/client', path))
    const types = names.split(',').map((name) => {
      const [from, to = from] = name.trim().split(' as ')
      if (module[from] === undefined) throw new Error(`${path} does not export the schema ${from} beside its type`)
      return `type ${to} = ${typeOf(module[from])};\n`
    })
    // A function, because `$` in a replacement string would be a pattern.
    plain = plain.replace(line, () => types.join(''))
  }
  return plain
}

/** Copies a file of types and all files that it imports, with the file extensions that importers expect. */
async function copy(file, done) {
  if (done.has(file)) return
  done.add(file)
  const emittedText = readFileSync(file, 'utf8')
  const text = file === answers ? await plainAnswers(emittedText) : emittedText
  for (const [, path] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/g)) {
    await copy(join(dirname(file), `${path}.d.ts`), done)
  }
  const target = join(dist, relative(emitted, file))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text.replaceAll(/((?:from |import\()['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2'))
}

const done = new Set()
for (const entry of ['client/tidemark', 'mqtt/push-messages']) await copy(join(emitted, `${entry}.d.ts`), done)
const strays = [...done].filter((file) => !/^(client|mqtt|model|lib)\//.test(relative(emitted, file)))
if (strays.length > 0) throw new Error(`the client's types name those of the service: ${strays.join(', ')}`)
