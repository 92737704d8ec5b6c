// What a client takes, read from its Accept and Accept-Encoding headers (RFC 9110, section 12).

interface Weighted {
  readonly name: string
  readonly weight: number
}

function parseWeighted(header: string): readonly Weighted[] {
  return header.split(',').map((part) => {
    const [name, ...parameters] = part.split(';')
    const quality = parameters.map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(parameter)?.[1])
    const weight = Number(quality.find((found) => found !== undefined) ?? 1)
    return { name: name!.trim().toLowerCase(), weight: Number.isNaN(weight) ? 1 : Math.min(1, weight) }
  })
}

/** Whether a client takes `type/subtype`: its own range counts first, then `type/*`, then any. */
export function acceptsType(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header.trim() === '' || header === '*/*') return true
  const accepted = parseWeighted(header)
  for (const range of [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*']) {
    const found = accepted.find(({ name }) => name === range)
    if (found !== undefined) return found.weight > 0
  }
  return false
}

/** The first of `offered` that has the highest weight; null when the client takes none of them, or likes plain bytes better. */
export function chooseEncoding<E extends string>(header: string | undefined, offered: readonly E[]): E | null {
  if (header === undefined || header === '') return null
  const accepted = parseWeighted(header)
  const others = accepted.find(({ name }) => name === '*')?.weight ?? 0
  const weightOf = (encoding: string): number => accepted.find(({ name }) => name === encoding)?.weight ?? others
  let best: E | null = null
  let bestWeight = 0
  for (const encoding of offered) {
    const weight = weightOf(encoding)
    if (weight > bestWeight) {
      best = encoding
      bestWeight = weight
    }
  }
  const identity = accepted.find(({ name }) => name === 'identity')?.weight ?? 0
  return identity > bestWeight ? null : best
}
