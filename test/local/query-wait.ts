import type { FunctionDefinition } from '../../local/lambda/function-definition.ts'

/** Sets the time that start-query waits for its query: on this machine queries end within the usual one. */
export const waitForQueries = (queryWaitMs: number) => (definition: FunctionDefinition) => {
  const environment = { ...definition.environment, QUERY_WAIT_MS: String(queryWaitMs) }
  return definition.name === 'StartQuery' ? { ...definition, environment } : definition
}
