import type { McpServer } from '@modelcontextprotocol/server'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { toolArguments } from '../../contract/schemas/tools.ts'
import { ApiError, ConnectionFailed } from '../errors.ts'
import { type Answer, shortText } from './answer.ts'
import type { ToolSession } from './session.ts'
import { shortenSchema } from './shorten-schema.ts'
import { findUnknownArguments, type UnknownArgument } from './unknown-arguments.ts'

/** The tools by name, as the contract lists them. */
export type ToolName = keyof typeof toolArguments

type Arguments<Name extends ToolName> = v.InferOutput<(typeof toolArguments)[Name]>

/** A tool that a server can offer. */
export interface Tool {
  readonly name: ToolName
  readonly register: (server: McpServer, session: ToolSession) => void
}

/** The words of a tool for assistants, and its work. */
interface ToolParts<Name extends ToolName> {
  readonly title: string
  readonly description: string
  /** True if the tool starts searches, which cost money. @default false */
  readonly startsSearches?: boolean
  /** False if another tool describes the same arguments, which the description of this one must say. @default true */
  readonly describesArguments?: boolean
  readonly answer: (session: ToolSession, args: Arguments<Name>, signal: AbortSignal) => Promise<Answer>
}

/** Defines a tool, whose arguments the contract has under its name. */
export function defineTool<const Name extends ToolName>(name: Name, parts: ToolParts<Name>): Tool {
  const { title, description, startsSearches = false, describesArguments = true, answer } = parts
  // Nothing is ever deleted, and a repeated call returns the same search: the protocol asks that only if a tool writes.
  const effect = startsSearches ? { readOnlyHint: false, idempotentHint: true } : { readOnlyHint: true }
  const annotations = { ...effect, destructiveHint: false }
  const inputSchema = describeArguments(toolArguments[name], describesArguments)
  const config = { title, description, annotations, inputSchema }
  return {
    name,
    register(server, session) {
      server.registerTool(name, config, async (args, { mcpReq }) => {
        try {
          return writeResult(await answer(session, args, limitTime(mcpReq.signal, session)))
        } catch (error) {
          return { isError: true, content: [{ type: 'text', text: describeError(error, session) }] }
        }
      })
    },
  }
}

/** Ends the work of a tool when the assistant cancels the call, or when its time is up. */
const limitTime = (signal: AbortSignal, { maxToolMs }: ToolSession) =>
  maxToolMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(maxToolMs)])

/** Maximum number of faults in an answer. */
const maxFaults = 10

/**
 * Returns arguments as the SDK takes them: checked in full, and shown in short. Faults would quote them, however long
 * they are.
 */
function describeArguments<Schema extends v.GenericSchema>(schema: Schema, isDescribed: boolean) {
  const { '~standard': standard } = toStandardJsonSchema(schema)
  const { jsonSchema } = standard
  const shape = jsonSchema.input({ target: 'draft-2020-12' })
  const validate: typeof standard.validate = async (value) => {
    const unknownArguments: UnknownArgument[] = []
    for (const fault of findUnknownArguments(shape, value)) if (unknownArguments.push(fault) === maxFaults) break
    if (unknownArguments.length > 0) return { issues: unknownArguments }
    const result = await standard.validate(value)
    return result.issues === undefined ? result : { issues: result.issues.slice(0, maxFaults).map(shortenFault) }
  }
  const input: typeof jsonSchema.input = (options) => shortenSchema(jsonSchema.input(options), { isDescribed })
  return { '~standard': { ...standard, validate, jsonSchema: { ...jsonSchema, input } } }
}

/** A fault of the arguments, with the names that lead to it. */
interface ArgumentFault {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

function shortenFault({ message, path = [] }: ArgumentFault) {
  const names = path.map((part) => (typeof part === 'object' ? part.key : part))
  return { message: shortText(message), path: names.map((name) => shortText(String(name))) }
}

/** The same JSON twice: as data, and as text for clients that know only that. */
function writeResult(answer: Answer) {
  const structuredContent: Record<string, unknown> = { ...answer }
  return { structuredContent, content: [{ type: 'text' as const, text: JSON.stringify(answer) }] }
}

/** Describes an error for the assistant: refusals say what to change. */
function describeError(error: unknown, { report }: ToolSession): string {
  if (error instanceof ApiError) {
    const { type, message, details, retryAfterSeconds } = error
    const faults = details.slice(0, maxFaults).map((fault) => `${fault.path}: ${fault.message}`)
    const wait = retryAfterSeconds === undefined ? [] : [`Ask again after ${retryAfterSeconds} seconds.`]
    return [`${type}: ${message}`, ...faults, ...wait].join('\n')
  }
  if (error instanceof ConnectionFailed)
    return `${error.message}. Call the tool again; a repeated call starts nothing twice.`
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return 'The answer took too long. Call the tool again; a repeated call starts nothing twice.'
  // Half of a surrogate pair cannot be written into a query.
  if (error instanceof URIError) return 'invalid_request: a text has half of a character.'
  report(error)
  return 'Internal error. If it persists, tell the operator of the service.'
}
