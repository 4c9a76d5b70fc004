import * as v from 'valibot'
import { type Environment, type VariableName, variables } from '../schema/environment.ts'
import { listFaults } from '../schema/list-faults.ts'

/**
 * Reads and parses environment variables. Called once, in a function's composition root.
 *
 * @throws EnvironmentNotValid naming every variable that is missing, empty or not valid
 */
export function readEnvironment<Name extends VariableName>(
  names: readonly Name[],
  source: Readonly<Record<string, string | undefined>> = process.env,
): Environment<Name> {
  const schema = v.object(Object.fromEntries(names.map((name) => [name, variables[name]])))
  const { success, output, issues } = v.safeParse(schema, source, { abortPipeEarly: true })
  if (!success) throw new EnvironmentNotValid(listFaults(issues))
  // The compiler cannot follow which names the object has.
  return output as Environment<Name>
}

/**
 * Returns the id of the trace that the current invocation belongs to; undefined if X-Ray does not record the trace.
 * Lambda sets the variable anew for each invocation. Source: Lambda developer guide, "Using Lambda environment
 * variables"; X-Ray developer guide, "Tracing header".
 *
 * @param header @default - that of the invocation
 */
export function readTraceId(header: string = process.env['_X_AMZN_TRACE_ID'] ?? ''): string | undefined {
  const fields = new Map(header.split(';').map((field) => [field.split('=')[0] ?? '', field.split('=')[1] ?? '']))
  return fields.get('Sampled') === '1' ? fields.get('Root') : undefined
}

/** A function was deployed without some of its variables, or with values that they cannot have. */
export class EnvironmentNotValid extends Error {
  override readonly name = 'EnvironmentNotValid'
  constructor(faults: readonly string[]) {
    super(`the environment of this function is not valid: ${faults.join('; ')}`)
  }
}
