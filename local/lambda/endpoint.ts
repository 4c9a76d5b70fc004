import { join } from 'node:path'
import type { LocalEndpoint } from '../endpoint.ts'
import { type FunctionDefinition, readFunctions } from './function-definition.ts'
import { type Functions, type Invocation, startFunctions } from './functions.ts'

export interface LambdaEndpointOptions {
  /** Called before every invocation. @default - none */
  readonly onInvocation?: (invocation: Invocation) => void
  /** Changes a function before it is started. @default - it is as in the template */
  readonly adjust?: (definition: FunctionDefinition) => FunctionDefinition
}

/** Lambda, with the functions of the stack. Nothing calls its API, so it has no URL. */
export const lambdaEndpoint = ({
  onInvocation,
  adjust = (definition) => definition,
}: LambdaEndpointOptions): LocalEndpoint => ({
  start: async ({ dataFolder, newId }) => {
    const ready = Promise.withResolvers<Functions>()
    let definitions: readonly FunctionDefinition[] = []
    let functions: Functions | undefined
    const invoke = async (arn: string, event: unknown, requestId = newId()) =>
      (await ready.promise).invoke(arn, event, requestId)
    return {
      peers: {
        functions: {
          invoke,
          invokeByName: async (name, event) => {
            const definition = definitions.find((candidate) => candidate.name === name)
            if (definition === undefined) throw new TypeError(`there is no function ${name}`)
            return invoke(definition.arn, event)
          },
          end: (requestId, how) => functions?.end(requestId, how),
        },
      },
      begin: async ({ template, environment, credentialsOf, work }) => {
        definitions = readFunctions(template, { environment, credentialsOf }).map(adjust)
        functions = work.adopt(startFunctions(definitions, join(dataFolder, 'logs'), onInvocation), ({ close }) =>
          close(),
        )
        ready.resolve(functions)
      },
      close: async () => {},
    }
  },
})
