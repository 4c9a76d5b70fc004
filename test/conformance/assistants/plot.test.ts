import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { connectByHttp, type ProtocolVersion } from './connect.ts'

const uri = 'ui://rates/plot'
const mimeType = 'text/html;profile=mcp-app'
const versions: readonly ProtocolVersion[] = ['2025-11-25', '2026-07-28']

describe.each(versions)('the plot of a summary for hosts of MCP Apps, version %s', (version) => {
  it('appears among the resources, and only summarise_rates names it', async () => {
    await using assistant = await connectByHttp(version)
    const { resources } = await assistant.client.listResources()
    expect(resources).toMatchObject([{ uri, mimeType }])
    expect(assistant.client.getServerCapabilities()?.extensions).toEqual({ 'io.modelcontextprotocol/ui': {} })
    const { tools } = await assistant.client.listTools()
    const withPlot = tools.filter((tool) => tool._meta?.['ui'] !== undefined)
    expect(withPlot.map(({ name, _meta }) => [name, _meta])).toEqual([
      ['summarise_rates', { ui: { resourceUri: uri } }],
    ])
  })

  it('consists of one document without addresses, whose policy admits only its own script and style', async () => {
    await using assistant = await connectByHttp(version)
    const { contents } = await assistant.client.readResource({ uri })
    const [content] = v.parse(v.tuple([v.object({ mimeType: v.string(), text: v.string() })]), contents)
    expect(contents).toMatchObject([{ uri, mimeType, _meta: { ui: { csp: {} } } }])
    expect(content.text.length).toBeLessThan(60_000)
    expect(content.text).toMatch(/^<!doctype html>/)
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(content.text)?.[1]
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'$/,
    )
    expect(content.text).not.toMatch(/<(?:link|img|iframe|script src)|@import|url\(/)
    // Names of vocabularies, which nothing loads.
    expect(content.text.match(/https?:\/\/[\w.]+/g)?.filter((name) => name !== 'http://www.w3.org')).toEqual([])
    await expect(assistant.client.readResource({ uri: 'ui://rates/other' })).rejects.toThrow()
  })
})
