import type { FunctionDefinition } from '../../local/lambda/function-definition.ts'

/** Makes start-query wait so long for its query: on this machine queries end before it stops waiting by itself. */
export const waitForQueries = (queryWaitMs: number) => (definition: FunctionDefinition) => {
  const environment = { ...definition.environment, QUERY_WAIT_MS: String(queryWaitMs) }
  return definition.name === 'StartQuery' ? { ...definition, environment } : definition
}
