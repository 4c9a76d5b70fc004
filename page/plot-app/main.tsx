import { render } from 'preact'
import { AnsweredPlot } from './answered-plot.tsx'
import { connectHost } from './host.ts'
import { makeThemeSwitch } from './theme.ts'

/** Draws the answer that the host of this document sends. */
function start(root: HTMLElement): void {
  render(<AnsweredPlot result={undefined} />, root)
  const { reportHeight } = connectHost(window.parent, window, {
    onResult: (result) => render(<AnsweredPlot result={result} />, root),
    onCancelled: () => render(<AnsweredPlot result="cancelled" />, root),
    onTheme: makeThemeSwitch(document),
  })
  new ResizeObserver(() => reportHeight(Math.ceil(root.getBoundingClientRect().height))).observe(root)
}

const root = document.getElementById('plot')
if (root !== null) start(root)
