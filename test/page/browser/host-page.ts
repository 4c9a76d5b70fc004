/** Facts with which a host shows a document of a server. */
interface Hosted {
  readonly document: string
  /** The result of the tool, as the server gave it. */
  readonly result: unknown
  readonly theme: 'light' | 'dark'
}

/** The policy of a host for documents that name no domains. Source: MCP Apps 2026-01-26, "Host Behavior". */
export const hostPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
].join('; ')

/**
 * Writes a page that plays the part of a host: it shows a document in a sandbox, and speaks with it as MCP Apps has it.
 * `messages` has what the document said, and `tell` says something to it.
 */
export function writeHostPage(hosted: Hosted): string {
  const facts = JSON.stringify(hosted).replaceAll('<', String.raw`\u003c`)
  return `<!doctype html>
<html lang="en">
<title>Host</title>
<main>
<h1>Host</h1>
<iframe id="view" title="Plot" sandbox="allow-scripts" style="width:100%;height:20px;border:0"></iframe>
</main>
<script>
const facts = ${facts}
const messages = []
const view = document.getElementById('view')
const tell = (message) => view.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
addEventListener('message', ({ data, source }) => {
  if (source !== view.contentWindow) return
  messages.push(data)
  if (data.method === 'ui/initialize') {
    const hostContext = { theme: facts.theme, displayMode: 'inline', containerDimensions: { maxHeight: 9000 } }
    const hostInfo = { name: 'host', version: '1' }
    tell({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo, hostCapabilities: {}, hostContext } })
  }
  if (data.method === 'ui/notifications/initialized') {
    tell({ method: 'ui/notifications/tool-input', params: { arguments: {} } })
    tell({ method: 'ui/notifications/tool-result', params: facts.result })
  }
  if (data.method === 'ui/notifications/size-changed') view.style.height = data.params.height + 'px'
})
view.srcdoc = facts.document
</script>
</html>`
}
