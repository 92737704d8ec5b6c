/** The names of a topic's levels, such as `plant/{area}/{tag}`. */
export interface TopicTemplate {
  /** The properties that it defines. */
  readonly names: readonly string[]
  /** The properties from a topic; null if the topic does not match. */
  propertiesOf(topic: string): ReadonlyMap<string, string> | null
}

const placeholder = /^\{([^{}.]+)(\.\.\.)?\}$/

/** `{name}` matches one level, `{name...}` at the end all remaining levels, other text itself. Throws if the template is invalid. */
export function topicTemplate(template: string): TopicTemplate {
  const levels = template.split('/').map((text) => {
    const [, name, rest] = placeholder.exec(text) ?? []
    if (name === undefined && /[{}]/.test(text))
      throw new Error(
        `"${text}" in "${template}" is not a level of a topic: a name must be alone between two slashes, such as {tag}.`,
      )
    return { text, name, isRest: rest !== undefined }
  })
  const names = levels.flatMap(({ name }) => name ?? [])
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`"${template}" has {${twice}} twice.`)
  if (levels.some(({ isRest }, at) => isRest && at !== levels.length - 1))
    throw new Error(`"${template}" continues after {name...}, which is the rest of a topic.`)
  return {
    names,
    propertiesOf(topic) {
      const parts = topic.split('/')
      const isLonger = parts.length > levels.length && levels.at(-1)?.isRest === true
      if (parts.length !== levels.length && !isLonger) return null
      const found = new Map<string, string>()
      for (const [at, { text, name, isRest }] of levels.entries()) {
        if (name !== undefined) found.set(name, isRest ? parts.slice(at).join('/') : parts[at]!)
        else if (parts[at] !== text) return null
      }
      return found
    },
  }
}

const longestBytes = 65_535

/** Why brokers do not accept a topic filter; null if it is valid. */
export function filterFault(filter: string): string | null {
  if (filter === '') return 'it is empty'
  if (new TextEncoder().encode(filter).length > longestBytes) return `it is longer than ${longestBytes} bytes`
  if (filter.includes('\0')) return 'it has a character of code 0'
  const levels = filter.split('/')
  const rest = levels.findIndex((level) => level.includes('#'))
  if (rest !== -1 && levels[rest] !== '#') return `# must be alone between slashes, not in "${levels[rest]}"`
  if (rest !== -1 && rest !== levels.length - 1) return '# is the rest of a topic, and nothing may follow it'
  const mixed = levels.find((level) => level.includes('+') && level !== '+')
  return mixed === undefined ? null : `+ must be alone between slashes, not in "${mixed}"`
}
