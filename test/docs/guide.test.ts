import { describe, expect, test } from 'vitest'
import { isAsShown, readGuide } from './guide.ts'

test('reads commands with their answers', () => {
  const guide = readGuide(`# A guide
<!-- run: in a fresh folder -->

\`\`\`console
$ echo one
one
$ echo \\
    two 'and
three'
\`\`\`

<!-- exits with 3 -->
\`\`\`console
$ exit 3
\`\`\`

<!-- saved as a.json -->
\`\`\`json
{}
\`\`\`

<!-- not run: it would take a day -->
\`\`\`sh
sleep 86400
\`\`\`
\`\`\`python
print(1)
\`\`\`
`)
  expect(guide).toEqual({
    run: 'in a fresh folder',
    steps: [
      { line: 5, text: 'echo one', answer: 'one', exitCode: 0 },
      { line: 7, text: "echo \\\n    two 'and\nthree'", answer: null, exitCode: 0 },
      { line: 14, text: 'exit 3', answer: null, exitCode: 3 },
      { name: 'a.json', content: '{}\n' },
    ],
  })
})

describe('an answer matches the one that the guide shows', () => {
  test.each([
    ['[{"a": 1},\n {"a": 2}]', '[{"a":1},{"a":2}]', true],
    ['{"batch": "...", "rows": 1}', '{"batch":"x.1","rows":1}', true],
    ['{"rows": 1}', '{"rows":2}', false],
    ['a  b\n1  2', 'a    b\n1    2\n', true],
    ['first\n...\nlast', 'first\nmiddle\nlast', true],
    ['row 1.5', 'row 1x5', false],
  ])('%j, %j: %j', (shown, came, expected) => {
    expect(isAsShown(shown, came)).toBe(expected)
  })
})
