import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rounds } from '../../../test/support/rounds.ts'
import { lineEnd, nextLineAt } from './line-text.ts'

function linesOf(bytes: Uint8Array): string[] {
  const lines: string[] = []
  for (let at = nextLineAt(bytes, 0); at < bytes.length; ) {
    const end = lineEnd(bytes, at)
    lines.push(Buffer.from(bytes.subarray(at, end)).toString())
    at = nextLineAt(bytes, end)
  }
  return lines
}

test.each<[string, lines: readonly string[]]>([
  ['a string with newlines', ['m s="a\nb\n\nc",v=1 5']],
  ['two strings with newlines', ['m s="a\nb",t="c\nd"', 'm v=2']],
  ['a string with quotes and with backslashes before quotes', ['m s="a\\"\nb\\\\" 5', 'm v=2']],
  ['a string that ends in a line with CR LF', ['m s="a\r\nb" 5\r', 'm v=2']],
  ['a missing quote', ['m s="a 1', 'm s="b" 2', 'm s="c" 3']],
  ['a missing quote without a later quote', ['m s="a 1', 'm v=2', 'm v=3']],
  ['a surplus quote', ['m s="a"" 1', 'm s="b" 2', 'm s="c" 3']],
  ['a path that ends with a backslash', ['m s="C:\\" 1', 'm s="D:\\x" 2', 'm v=3']],
  ['a string followed by an invalid field', ['m s="a', 'b",v=x 2', 'm v=3']],
  ['a string followed by an invalid time', ['m s="a', 'm t=" ",v=2', 'm v=3']],
  ['quotes in tags, which are ordinary characters', ['m,t=a" v=1', 'm,t="b v=2', 'm,t="c\\ d" v=3']],
  ['a quote in a name', ['m s"="a"', 'm s"="a\nb"', 'm v=1']],
  ['a quote within a value', ['m v=1"', 'm s=a"b', 'm v=2']],
  ['a backslash before a newline', ['m,t=a\\', 'm v=1\\', 'm v=2']],
  ['an empty string at the end of the last line, without a newline', ['m s="', 'm t=""']],
])('%s', (_, lines) => {
  expect(linesOf(Buffer.from(lines.join('\n')))).toEqual(lines)
  expect(linesOf(Buffer.from(`${lines.join('\n')}\n`))).toEqual(lines)
})

/** The bytes, with a count of the bytes read. */
function counted(bytes: Uint8Array): { readonly bytes: Uint8Array; looks(): number } {
  let looks = 0
  const handler: ProxyHandler<Uint8Array> = {
    get(target, key) {
      if (key === 'length') return target.length
      if (key === 'indexOf')
        return (byte: number, from: number) => {
          const found = target.indexOf(byte, from)
          looks += Math.max(0, (found < 0 ? target.length : found) - from)
          return found
        }
      if (key === 'subarray')
        return (start: number, end: number) => {
          looks += end - start
          return target.subarray(start, end)
        }
      looks++
      return Reflect.get(target, key)
    },
  }
  return { bytes: new Proxy(bytes, handler), looks: () => looks }
}

const fragment = fc.constantFrom(
  ...['m', 'm,t=a', ' ', ' ', ',', '=', '"', '"', '\\"', '\\', '\\ ', '\\,', '\r', '1', 'a', '#', ' 5'],
  ...['m s="x', 'm s=",b=1",c="x', 'm,t=a" s="x', 'm,t=a",u="\\ ,f="x', 's="', '",s="', '" 5', '="', ',n"=1,s="x'],
)
const line = fc.array(fragment, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))

test('reads each byte of a body with unclosed quotes a bounded number of times', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
      const text = `${lines.join('\n')}\n`
      const { bytes, looks } = counted(Buffer.from(text.repeat(Math.ceil(1500 / text.length))))
      linesOf(bytes)
      expect(looks() / bytes.length).toBeLessThan(25)
    }),
    { numRuns: rounds(1000) },
  )
})
