import { likelyWord } from '../lib/likely-word.ts'
import { messageOf } from '../lib/message-of.ts'
import { SettingsError } from '../model/settings-error.ts'
import { missingForEngine } from './cluster-settings.ts'
import { replicaFaults } from './replica-settings.ts'
import { usualOf } from './setting.ts'
import { environmentName, flagName, type Settings, settingEntries } from './settings.ts'

export interface SettingSources {
  /** Values of the command line, by the name of the setting (`limits.resultRows`). */
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The file given with `--config`. */
  readonly file: { readonly path: string; readonly text: string } | null
}

/** Flags override the environment, which overrides the file, which overrides the defaults. Throws `SettingsError`. */
export function loadSettings({ flags, environment, file }: SettingSources): Settings {
  const sentences: string[] = []
  const inFile = file === null ? new Map<string, unknown>() : readFile(file.path, file.text, sentences)
  sentences.push(...unknownNames(inFile.keys(), file?.path ?? ''))
  sentences.push(...unknownVariables(environment))
  const tree: Record<string, unknown> = {}
  for (const [name, setting] of settingEntries) {
    const given = firstGiven(name, flags, environment, inFile, file?.path ?? '')
    if (given === null) {
      place(tree, name, usualOf(setting, tree['small'] === true))
      continue
    }
    const reading = setting.read(given.value, given.source)
    if ('value' in reading) place(tree, name, reading.value)
    else sentences.push(refusal(name, given, setting.allowed, setting.secret))
  }
  if (sentences.length > 0) throw new SettingsError(sentences)
  assertComplete(tree)
  const missing = [...missingForEngine(tree), ...replicaFaults(tree)]
  if (missing.length > 0) throw new SettingsError(missing)
  return tree
}

interface Given {
  readonly value: unknown
  readonly source: 'text' | 'json'
  readonly where: string
}

function firstGiven(
  name: string,
  flags: SettingSources['flags'],
  environment: SettingSources['environment'],
  inFile: ReadonlyMap<string, unknown>,
  path: string,
): Given | null {
  const flag = flags[name]
  if (flag !== undefined) return { value: flag, source: 'text', where: `the flag ${flagName(name)}` }
  const variable = environmentName(name)
  const inEnvironment = environment[variable]
  // Many tools pass on "not set" as an empty variable.
  if (inEnvironment !== undefined && inEnvironment !== '') {
    return { value: inEnvironment, source: 'text', where: `the environment variable ${variable}` }
  }
  return inFile.has(name) ? { value: inFile.get(name), source: 'json', where: `the file ${path}` } : null
}

function refusal(name: string, { value, where }: Given, allowed: string, secret: boolean): string {
  const shown = secret ? '' : ` and not ${JSON.stringify(value)}`
  return `${name} (from ${where}) must be ${allowed}${shown}.`
}

function readFile(path: string, content: string, sentences: string[]): Map<string, unknown> {
  const leaves = new Map<string, unknown>()
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch (error) {
    sentences.push(`The file ${path} is not JSON: ${messageOf(error)}.`)
    return leaves
  }
  if (!isObject(parsed)) {
    sentences.push(`The file ${path} must hold one JSON object.`)
    return leaves
  }
  collectLeaves(parsed, '', leaves)
  return leaves
}

/** A name with dots may be written whole or nested; null counts as not set. */
function collectLeaves(object: Readonly<Record<string, unknown>>, prefix: string, leaves: Map<string, unknown>): void {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix + key
    if (isObject(value) && !isKnown(name)) collectLeaves(value, `${name}.`, leaves)
    else if (value !== null) leaves.set(name, value)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isKnown(name: string): boolean {
  return settingEntries.some(([known]) => known === name)
}

const groups = new Set(settingEntries.flatMap(([name]) => (name.includes('.') ? [name.split('.')[0]!] : [])))

const groupOf = (name: string): string | null => (name.includes('.') ? name.slice(0, name.indexOf('.')) : null)
const suggestion = (likely: string | null): string => (likely === null ? '' : ` Did you mean ${likely}?`)

/** Reports an unknown group once, instead of each setting in it. */
function unknownNames(names: Iterable<string>, path: string): string[] {
  const sentences = new Set<string>()
  for (const name of names) {
    if (isKnown(name)) continue
    const where = `(from the file ${path})`
    const group = groupOf(name)
    if (groups.has(name)) sentences.add(`${name} ${where} is a group of settings: write it as {"${name}": {...}}.`)
    else if (group !== null && !groups.has(group))
      sentences.add(`${group} ${where} is not a group of settings.${suggestion(likelyWord(group, groups))}`)
    else sentences.add(`${name} ${where} is not a setting.${suggestion(likelyWord(name, otherNames(group)))}`)
  }
  return [...sentences]
}

/** The settings of a group; for null, the settings without a group and the names of the groups. */
function otherNames(group: string | null): readonly string[] {
  const names = settingEntries.map(([name]) => name).filter((name) => groupOf(name) === group)
  return group === null ? [...names, ...groups] : names
}

const prefix = 'TIDEMARK_'
const withoutPrefix = (variable: string): string => variable.slice(prefix.length)

/** Names of variables without `TIDEMARK_`: a shared prefix would make all names similar. */
const variables = new Set(settingEntries.map(([name]) => withoutPrefix(environmentName(name))))
const groupVariables = new Set([...groups].map((group) => withoutPrefix(environmentName(group))))

/** Variables of the commands and of development scripts that are not settings of the service. */
const ofCommands = new Set(['URL', 'KEY', 'CONFIG', 'CHROMIUM'])

/** Variables that begin with TIDEMARK_ and are neither settings nor used by commands, without the prefix. */
function otherVariables(environment: SettingSources['environment']): string[] {
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(prefix) && variable.length > prefix.length)
    .map(withoutPrefix)
    .filter((name) => !variables.has(name) && !ofCommands.has(name))
}

const isInGroup = (name: string): boolean => [...groupVariables].some((group) => name.startsWith(`${group}_`))

/** Kubernetes sets variables for services whose names begin with `tidemark`: `TIDEMARK_2_PORT` is not a misspelled `TIDEMARK_PORT`. */
const isOfKubernetes = (name: string): boolean => /(^|_)(SERVICE_HOST|SERVICE_PORT|PORT)(_|$)/.test(name)

function likelyVariable(name: string): string | null {
  const likely = isOfKubernetes(name) ? null : likelyWord(name, variables)
  return likely === null ? null : prefix + likely
}

/**
 * Variables that were meant for the service but have no effect: the name of a group (`TIDEMARK_ACCESS`), what looks like a setting of a group
 * (`TIDEMARK_LIMITS_...`), and what resembles a setting (`TIDEMARK_PROT`). Others that begin with TIDEMARK_ may belong to other tools.
 */
function unknownVariables(environment: SettingSources['environment']): string[] {
  return otherVariables(environment).flatMap((name) => {
    const start = `The environment variable ${prefix}${name} is`
    if (groupVariables.has(name)) {
      const member = [...variables].find((one) => one.startsWith(`${name}_`))
      return [`${start} a group of settings: give one of its settings, such as ${prefix}${member}.`]
    }
    const likely = likelyVariable(name)
    return isInGroup(name) || likely !== null ? [`${start} not a setting.${suggestion(likely)}`] : []
  })
}

/**
 * Sentences about variables that resemble settings less: single words (`TIDEMARK_NOTHING`), and names that begin with something like a group
 * (`TIDEMARK_ACESS_RULE`). They are ignored with a note, not refused, since others may have put them into the environment. Other longer names get no note.
 */
export function ignoredVariables(environment: SettingSources['environment']): string[] {
  return otherVariables(environment).flatMap((name) => {
    if (groupVariables.has(name) || isInGroup(name) || isOfKubernetes(name) || likelyVariable(name) !== null) return []
    const [first, ...more] = name.split('_')
    const group = likelyWord(first!, groupVariables)
    if (group === null && more.length > 0) return []
    const likely = group === null ? null : `${prefix}${group}_...`
    return [`The environment variable ${prefix}${name} is not a setting, and is ignored.${suggestion(likely)}`]
  })
}

function place(tree: Record<string, unknown>, name: string, value: unknown): void {
  const [group, leaf] = name.split('.')
  if (leaf === undefined) {
    tree[name] = value
    return
  }
  const members = tree[group!]
  tree[group!] = { ...(isObject(members) ? members : {}), [leaf]: value }
}

function assertComplete(tree: object): asserts tree is Settings {
  for (const [name] of settingEntries) {
    const [group, leaf] = name.split('.')
    const value: unknown = Reflect.get(tree, group!)
    if (leaf === undefined ? value === undefined : !isObject(value) || !Object.hasOwn(value, leaf)) {
      throw new Error(`the setting ${name} has no value`)
    }
  }
}
