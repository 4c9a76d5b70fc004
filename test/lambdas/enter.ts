import { afterEach, beforeEach, vi } from 'vitest'
import { readFunctions } from '../../local/lambda/function-definition.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import type { FunctionName } from '../../schema/function-names.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { pascal } from '../templates/templates.ts'

const { assembly, environment, stateMachineArn } = connectEndpoints()
const deployed = readFunctions(readStackTemplate(assembly, 'SearchService'), { environment, credentialsOf: () => ({}) })

/**
 * Loads functions by their entry points, each with the variables that its stage sets, and keeps the lines that they
 * write. The variables last until the end of the test.
 */
export function openEntryPoints() {
  const lines: unknown[] = []
  beforeEach(() => {
    lines.length = 0
    // Entry points read their variables when they are loaded.
    vi.resetModules()
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(JSON.parse(String(line))) > 0)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })
  return {
    lines,
    /** @param others variables that the test sets, such as the address of its own endpoint */
    enter: async <Handler>(
      operation: FunctionName,
      load: () => Promise<{ readonly handler: Handler }>,
      others: Readonly<Record<string, string>> = {},
    ): Promise<Handler> => {
      const { environment: variables = {} } = deployed.find(({ name }) => name === pascal(operation)) ?? {}
      const all = {
        ...variables,
        ...(variables['STATE_MACHINE_ARN'] && { STATE_MACHINE_ARN: stateMachineArn }),
        ...others,
      }
      for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
      return (await load()).handler
    },
  }
}
