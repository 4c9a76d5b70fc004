import type { McpServer } from '@modelcontextprotocol/server'

/**
 * The document that draws the groups of a summary in programs that show documents of servers (MCP Apps,
 * docs/assistants.md). It is built from the page, loads nothing, and is given the answer by the program.
 */

const uri = 'ui://rates/plot'
const mimeType = 'text/html;profile=mcp-app'

/** The extension of the protocol, as a capability of the server. Clients use it only if both sides name it. */
export const plotExtension = { 'io.modelcontextprotocol/ui': {} }

/** The document reaches no other address, and asks for no right. */
const content = { ui: { csp: {}, prefersBorder: true } }

/** The remark of a tool whose answers the document draws. */
export const plotMeta = { ui: { resourceUri: uri } } as const

/** Offers the document as a resource. */
export function registerPlot(server: McpServer, document: string): void {
  const config = {
    title: 'Plot of a summary',
    description: 'Draws the answer of summarise_rates: a strip for each group, from its least to its greatest amount.',
    mimeType,
    _meta: content,
  }
  server.registerResource('plot', uri, config, () => ({
    contents: [{ uri, mimeType, text: document, _meta: content }],
  }))
}
