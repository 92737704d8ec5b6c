import { render } from 'preact'
import './styles/base.css'
import './styles/controls.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/tables.css'
import './styles/explore.css'
import './styles/views.css'
import { App } from './app.tsx'
import { applyTheme } from './shell/theme.ts'

applyTheme()
render(<App />, document.getElementById('portal')!)
