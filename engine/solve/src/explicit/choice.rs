//! A method that is known at run time only -> its tableau, as a type.

/// Evaluates an expression with the tableau of a method as a type, or another one if it has none.
macro_rules! with_tableau {
    ($method:expr, $tableau:ident => $body:expr, $other:expr) => {
        crate::method::for_methods!(match_tableau $method, $tableau => $body, $other)
    };
}
pub(crate) use with_tableau;

macro_rules! match_tableau {
    (
        [$method:expr, $alias:ident => $body:expr, $otherwise:expr]
        explicit { $($(#[$about:meta])* $tableau:ident,)* }
        others { $($(#[$other_about:meta])* $other:ident = $module:ident,)* }
    ) => {
        match $method {
            $(crate::method::Method::$tableau => {
                type $alias = crate::explicit::$tableau;
                $body
            })*
            $(crate::method::Method::$other)|* => $otherwise,
        }
    };
}
pub(crate) use match_tableau;
