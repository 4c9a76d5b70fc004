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

/** A function was deployed without some of its variables, or with values that they cannot have. */
export class EnvironmentNotValid extends Error {
  override readonly name = 'EnvironmentNotValid'
  constructor(faults: readonly string[]) {
    super(`the environment of this function is not valid: ${faults.join('; ')}`)
  }
}
