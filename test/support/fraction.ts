/** An exact rational number, to check sums of doubles. */
export class Fraction {
  readonly numerator: bigint
  readonly denominator: bigint

  constructor(numerator: bigint, denominator = 1n) {
    const [top, bottom] = denominator < 0n ? [-numerator, -denominator] : [numerator, denominator]
    const common = divisorOf(top < 0n ? -top : top, bottom)
    this.numerator = top / common
    this.denominator = bottom / common
  }

  static readonly zero = new Fraction(0n)

  /** The exact value of a finite double. */
  static of(value: number | bigint): Fraction {
    if (typeof value === 'bigint') return new Fraction(value)
    let [rest, denominator] = [value, 1n]
    while (!Number.isInteger(rest)) {
      rest *= 2
      denominator *= 2n
    }
    return new Fraction(BigInt(rest), denominator)
  }

  plus({ numerator, denominator }: Fraction): Fraction {
    return new Fraction(this.numerator * denominator + numerator * this.denominator, this.denominator * denominator)
  }

  times({ numerator, denominator }: Fraction): Fraction {
    return new Fraction(this.numerator * numerator, this.denominator * denominator)
  }

  minus(other: Fraction): Fraction {
    return this.plus(other.times(new Fraction(-1n)))
  }

  over({ numerator, denominator }: Fraction): Fraction {
    return this.times(new Fraction(denominator, numerator))
  }

  isLess(other: Fraction): boolean {
    return this.minus(other).numerator < 0n
  }

  /** Approximate: the nearest double or one next to it. */
  get value(): number {
    const [top, bottom] = [this.numerator, this.denominator]
    const bits = (n: bigint): number => n.toString(2).length
    const shift = BigInt(Math.max(0, 60 + bits(bottom) - bits(top < 0n ? -top : top)))
    const quotient = Number((top << shift) / bottom)
    return shift > 1000n ? (quotient / 2 ** 1000) * 2 ** -Number(shift - 1000n) : quotient / 2 ** Number(shift)
  }
}

function divisorOf(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right]
  while (b !== 0n) [a, b] = [b, a % b]
  return a === 0n ? 1n : a
}
