// ROUND as the SQL engine does it: a double with decimal places is rounded as a decimal of 15 places, which reads 0.285 as written.

/** The engine's scale for a double as a decimal. */
const scale = 10 ** 15
/** That decimal has 38 digits. */
const scaledMax = 1e38

/** Rounds half away from zero. `places` is 0 to 12. */
export function roundedTo(value: number, places: number): number {
  if (places === 0) return Math.sign(value) * halfUp(Math.abs(value))
  const sign = value < 0 ? -1 : 1
  // The engine adds the same amount, to correct products such as 2.9999999999999996.
  const scaled = Math.abs(value) * scale + (value === 0 ? 0 : 1e-9)
  if (!(scaled < scaledMax)) return value
  const power = 10n ** BigInt(15 - places)
  const digits = (BigInt(halfEven(scaled)) + power / 2n) / power
  // A decimal has no negative zero.
  return digits === 0n ? 0 : sign * decimal(digits, places)
}

function halfUp(value: number): number {
  const whole = Math.trunc(value)
  return value - whole >= 0.5 ? whole + 1 : whole
}

function halfEven(value: number): number {
  const whole = Math.trunc(value)
  const rest = value - whole
  return rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? whole + 1 : whole
}

/** Beyond 2^53 the engine adds the integer and the fractional part. */
function decimal(digits: bigint, places: number): number {
  const power = 10 ** places
  if (digits <= 2n ** 53n) return Number(digits) / power
  return Number(digits / BigInt(power)) + Number(digits % BigInt(power)) / power
}
