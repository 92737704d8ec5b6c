import { useState } from 'preact/hooks'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Segments } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/layout.tsx'
import { serviceUrl } from '../../session/session.ts'
import { type Language, programOf, type ShownPush } from './programs.ts'

const choices: readonly { readonly value: Language; readonly text: string }[] = [
  { value: 'curl', text: 'curl' },
  { value: 'javascript', text: 'JavaScript' },
  { value: 'python', text: 'Python' },
  { value: 'tidemark', text: 'tidemark' },
]

/** The same push as a program. */
export function Programs({ push }: { readonly push: Omit<ShownPush, 'url'> }) {
  const [language, choose] = useState<Language>('curl')
  const text = programOf(language, { ...push, url: serviceUrl })
  const ofFile = push.fileName !== null && language !== 'tidemark'
  return (
    <Panel title="The same push as a program" tools={<CopyButton text={text} />}>
      <div class="inside">
        <div class="actions">
          <Segments label="Language" value={language} choices={choices} onValue={(chosen) => choose(chosen)} />
        </div>
        <pre class="code">{text}</pre>
        <p class="small soft">
          {ofFile && 'It pushes the first rows of the file; tidemark pushes all of them. '}
          Your key is not in it: it is read from <code>TIDEMARK_KEY</code>.
        </p>
      </div>
    </Panel>
  )
}
