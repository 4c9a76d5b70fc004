import { join } from 'node:path'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import * as v from 'valibot'
import { afterAll, beforeAll } from 'vitest'
import { service } from '../client.ts'

const main = join(import.meta.dirname, '../../../client/cli/main.ts')

/** Protocols that assistants speak: with a handshake, and the stateless one of 2026-07-28. */
export const protocols = {
  '2025-11-25': {},
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const satisfies Readonly<Record<string, ClientOptions>>

export type ProtocolVersion = keyof typeof protocols

/** A tool's answer as tests read it. */
export interface ToolAnswer {
  readonly isError: boolean
  /** The answer as data; empty for an error. */
  readonly data: Readonly<Record<string, unknown>>
  readonly text: string
}

/** An assistant without a model: a client of the protocol that calls tools. */
export interface Assistant extends AsyncDisposable {
  readonly client: Client
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>
}

/**
 * Starts `rate-search mcp` as an assistant does.
 *
 * @param url address of the service
 */
export async function connectByPipes(
  version: ProtocolVersion,
  key = service.keys[0],
  url = service.baseUrl,
): Promise<Assistant> {
  const client = new Client({ name: 'test', version: '1' }, protocols[version])
  const environment = { ...process.env, RATE_SEARCH_URL: url, RATE_SEARCH_KEY: key }
  const env = v.parse(v.record(v.string(), v.string()), environment)
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, 'mcp'], env }))
  return describeAssistant(client)
}

/** The address of assistants at the service. */
export const mcpUrl = new URL(`${service.baseUrl}/v1/mcp`)

/** Connects to the service over HTTP, as an assistant does that takes a key. */
export async function connectByHttp(version: ProtocolVersion, key = service.keys[0]): Promise<Assistant> {
  const client = new Client({ name: 'test', version: '1' }, protocols[version])
  await client.connect(
    new StreamableHTTPClientTransport(mcpUrl, { requestInit: { headers: { Authorization: `Bearer ${key}` } } }),
  )
  return describeAssistant(client)
}

/** An assistant for all tests of a file. */
export interface SharedAssistant extends Pick<Assistant, 'call'> {
  /** Calls a tool, and returns only the data of its answer. */
  ask(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer['data']>
}

/** Connects an assistant of the stateless protocol before the tests of a file, and closes it after them. */
export function useAssistant(): SharedAssistant {
  let assistant: Assistant | undefined
  beforeAll(async () => {
    assistant = await connectByHttp('2026-07-28')
  })
  afterAll(() => assistant?.[Symbol.asyncDispose]())
  const call: Assistant['call'] = (name, args) => {
    if (assistant === undefined) throw new TypeError('the assistant is not connected')
    return assistant.call(name, args)
  }
  return { call, ask: async (name, args) => (await call(name, args)).data }
}

const toolResult = v.object({
  isError: v.optional(v.boolean(), false),
  structuredContent: v.optional(v.record(v.string(), v.unknown()), {}),
  content: v.tuple([v.object({ type: v.literal('text'), text: v.string() })]),
})

function describeAssistant(client: Client): Assistant {
  return {
    client,
    call: async (name, args) => {
      const { isError, structuredContent, content } = v.parse(
        toolResult,
        await client.callTool({ name, arguments: args }),
      )
      return { isError, data: structuredContent, text: content[0].text }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
