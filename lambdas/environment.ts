import { type Environment, type VariableName, variables } from '../schema/environment.ts'

/**
 * Reads and parses environment variables. Called once, in a function's composition root.
 *
 * @throws EnvironmentNotValid naming every variable that is missing, empty or not valid
 */
export function readEnvironment<Name extends VariableName>(
  names: readonly Name[],
  source: Readonly<Record<string, string | undefined>> = process.env,
): Environment<Name> {
  const faults: string[] = []
  const values = names.map((name) => {
    const text = source[name]
    if (!text) {
      faults.push(`${name} is not set`)
      return []
    }
    try {
      return [name, variables[name](text)]
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      faults.push(`${name} ${error.message}, not "${text}"`)
      return []
    }
  })
  if (faults.length > 0) throw new EnvironmentNotValid(faults)
  // Without faults, every name has its parser's value, which the compiler cannot follow.
  return Object.fromEntries(values) as Environment<Name>
}

/** A function was deployed without some of its variables, or with values that they cannot have. */
export class EnvironmentNotValid extends Error {
  override readonly name = 'EnvironmentNotValid'
  constructor(faults: readonly string[]) {
    super(`the environment of this function is not valid: ${faults.join('; ')}`)
  }
}
