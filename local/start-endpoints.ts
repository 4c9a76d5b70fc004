import type { LocalEndpoint, LocalEnvironment, StartContext, StartedEndpoint } from './endpoint.ts'

/**
 * Starts endpoints one after another, each with the variables of the endpoints before it.
 *
 * @param running closes the endpoints that have started, the last one first, even if a later one fails to start
 * @returns the endpoints, and `context.environment` with the variables of all of them
 */
export async function startEndpoints(
  endpoints: readonly LocalEndpoint[],
  context: StartContext,
  running: AsyncDisposableStack,
): Promise<{ readonly startedEndpoints: readonly StartedEndpoint[]; readonly environment: LocalEnvironment }> {
  const startedEndpoints: StartedEndpoint[] = []
  let environment = context.environment
  for (const endpoint of endpoints) {
    const startedEndpoint = await endpoint.start({ ...context, environment })
    running.defer(() => startedEndpoint.close())
    startedEndpoints.push(startedEndpoint)
    environment = { ...environment, ...startedEndpoint.environment }
  }
  return { startedEndpoints, environment }
}
