import { join } from 'node:path'
import * as v from 'valibot'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'
import { toolArguments } from '../../../contract/schemas/tools.ts'
import { root } from '../../templates/source-files.ts'
import { runProgram } from './packages.ts'

/** The address of the service, and a key for it. */
interface ServiceAccess {
  readonly url: string
  readonly key: string
}

const toolList = v.object({ tools: v.array(v.object({ name: v.picklist(Object.keys(toolArguments)) })) })

const plansAnswer = v.object({ structuredContent: v.object({ plans: v.pipe(v.array(v.unknown()), v.minLength(1)) }) })

/**
 * Lists the tools and calls one with the Inspector, over both transports.
 *
 * @param folder its home
 * @returns a line for each transport
 * @throws CommandFailed if it finds a fault, one of portability included
 */
export async function checkInspector(folder: string, { url, key }: ServiceAccess): Promise<readonly string[]> {
  const program = [process.execPath, join(root, 'client/cli/main.ts'), 'mcp']
  const transports = {
    'POST /v1/mcp': [
      '--transport',
      'http',
      '--server-url',
      `${url}/v1/mcp`,
      '--header',
      `Authorization: Bearer ${key}`,
    ],
    'rate-search mcp': [...program, '-e', `RATE_SEARCH_URL=${url}`, '-e', `RATE_SEARCH_KEY=${key}`],
  }
  const lines: string[] = []
  for (const [transport, target] of Object.entries(transports)) {
    const inspect = async (...args: string[]): Promise<unknown> => {
      const { exitCode, output, errors } = await runProgram('mcp-inspector', ['--cli', ...target, ...args], folder)
      if (exitCode !== 0) throw new CommandFailed(`the Inspector failed with ${transport}:\n${errors}${output}`)
      return JSON.parse(output)
    }
    const { tools } = v.parse(toolList, await inspect('--method', 'tools/list', '--strict'))
    const call = ['--method', 'tools/call', '--tool-name', 'find_plans', '--tool-args-json', '{"q":"harbor"}']
    const { plans } = v.parse(plansAnswer, await inspect(...call)).structuredContent
    lines.push(`${transport}: ${tools.length} tools listed, find_plans found ${plans.length} plans`)
  }
  return lines
}
