/**
 * The route of assistants, served by the function `serve-assistants` with a key. Its messages are those of the Model
 * Context Protocol and not of the API, so it is no call. Its tools make calls with the same key, so it only reads.
 */
export const mcpRoute = { method: 'POST', path: '/v1/mcp', effect: 'reads' } as const
