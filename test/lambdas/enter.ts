import { afterEach, beforeEach, vi } from 'vitest'
import { readFunctions } from '../../local/lambda/function-definition.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import type { FunctionName } from '../../schema/function-names.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { pascal } from '../templates/templates.ts'

const { assembly, environment, stateMachineArn } = connectEndpoints()
const functions = readFunctions(readStackTemplate(assembly, 'SearchService'), {
  environment,
  credentialsOf: () => ({}),
})

/**
 * Loads functions by their entry points, each with the variables that its stage sets, and collects the lines that they
 * write. The variables are restored at the end of the test.
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
    /**
     * Loads a function.
     *
     * @param testVariables variables that the test adds or replaces, such as the address of its own endpoint
     */
    enter: async <Handler>(
      operation: FunctionName,
      load: () => Promise<{ readonly handler: Handler }>,
      testVariables: Readonly<Record<string, string>> = {},
    ): Promise<Handler> => {
      // The stage of the tests lacks functions that only a stage over an operator's relation has.
      const stageVariables = functions.find(({ name }) => name === pascal(operation))?.environment ?? {}
      const variables = {
        ...stageVariables,
        ...(stageVariables['STATE_MACHINE_ARN'] && { STATE_MACHINE_ARN: stateMachineArn }),
        ...testVariables,
      }
      for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
      return (await load()).handler
    },
  }
}
