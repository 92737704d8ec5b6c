import { useEffect, useRef } from 'preact/hooks'
import type { Editor } from './editor.ts'

export interface Fault {
  readonly line: number
  readonly column: number
  readonly message: string
}

interface Props {
  readonly label: string
  readonly language: 'sql' | 'json'
  readonly text: string
  readonly tables?: Readonly<Record<string, string[]>>
  readonly fault: Fault | null
  onText(text: string): void
  onRun(): void
}

/** Where a query is written; Ctrl and Enter run it. */
export function QueryEditor(props: Props) {
  const { label, language, text, tables, fault } = props
  const room = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | null>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    let closed = false
    void import('./editor.ts').then(({ openEditor }) => {
      if (closed || room.current === null) return
      editor.current = openEditor({
        parent: room.current,
        label,
        language,
        text: latest.current.text,
        onText: (next) => latest.current.onText(next),
        onRun: () => latest.current.onRun(),
      })
      editor.current.know(latest.current.tables ?? {})
    })
    return () => {
      closed = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [label, language])
  useEffect(() => editor.current?.set(text), [text])
  useEffect(() => editor.current?.know(tables ?? {}), [JSON.stringify(tables)])
  useEffect(() => editor.current?.mark(fault), [fault])
  return <div ref={room} class="editor" />
}
